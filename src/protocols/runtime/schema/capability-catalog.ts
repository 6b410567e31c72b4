import * as z from 'zod';
import { RUNTIME_ETA_SECONDS_MAX, RUNTIME_ETA_SECONDS_MIN } from '../../../domain/limits.ts';
import { id, instant, text } from '../../fields.ts';
import { skillRefSchema } from './parts.ts';

/** Runtime §2: the record capabilities.catalog.<capabilityId>. */
export const capabilityCatalogSchema = z.object({
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
