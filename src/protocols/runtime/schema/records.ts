import * as z from 'zod';
import { RUNTIME_ETA_SECONDS_MAX, RUNTIME_ETA_SECONDS_MIN } from '../../../domain/federation/message-limits.ts';
import { count, id, instant, text } from '../../fields.ts';
import { idListSchema, skillRefSchema } from './envelope.ts';

/** Runtime §2: the record capabilities.catalog.<capabilityId>. */
const capabilityCatalogSchema = z.object({
  capabilityId: id(),
  name: text(),
  version: text(),
  status: z.enum(['active', 'deprecated', 'disabled']),
  ownerAgentId: id(),
  ownerNodeId: id(),
  delegationSkillRef: skillRefSchema,
  executorSkillRef: skillRefSchema,
  contractSchemaRef: text(),
  defaultEtaSeconds: z.int().min(RUNTIME_ETA_SECONDS_MIN).max(RUNTIME_ETA_SECONDS_MAX),
  publishedAt: instant(),
  publishedByAgentId: id(),
});

export type CapabilityCatalog = z.infer<typeof capabilityCatalogSchema>;

/** Runtime §2: the record capabilities.index.<capabilityId>. */
const capabilityIndexSchema = z.object({
  capabilityId: id(),
  eligibleAgentIds: idListSchema,
  policyVersion: text(),
  updatedAt: instant(),
});

export type CapabilityIndex = z.infer<typeof capabilityIndexSchema>;

/** Runtime §6: the record delivery.cursors.<consumerNodeId>.<sourceNodeId>. Before the first event lastSeq is 0. */
const cursorSchema = z.object({
  consumerNodeId: id(),
  sourceNodeId: id(),
  lastSeq: count(),
  updatedAt: instant(),
  status: z.enum(['active', 'stale']),
  leaseExpiresAt: instant(),
  epoch: text(),
});

export type CursorRecord = z.infer<typeof cursorSchema>;

/** Runtime §8; failureClass as in task_failed. */
const reviewSchema = z.object({
  reviewId: id(),
  capabilityId: id(),
  delegationSkillVersion: text(),
  executorSkillVersion: text(),
  failureClass: text(),
  sampleCorrIds: idListSchema,
  createdAt: instant(),
});

export type Review = z.infer<typeof reviewSchema>;

export type RuntimeRecord = CapabilityCatalog | CapabilityIndex | CursorRecord | Review;

/** The records of the control plane. */
export const RECORD_SCHEMAS = {
  catalog: capabilityCatalogSchema,
  index: capabilityIndexSchema,
  cursor: cursorSchema,
  review: reviewSchema,
} as const;
