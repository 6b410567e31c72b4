import * as z from 'zod';
import { id, instant, text } from '../../fields.ts';
import { idListSchema } from './parts.ts';

/** Runtime §2: the record capabilities.index.<capabilityId>. */
export const capabilityIndexSchema = z.object({
  capabilityId: id(),
  eligibleAgentIds: idListSchema,
  policyVersion: text(),
  updatedAt: instant(),
});

export type CapabilityIndex = z.infer<typeof capabilityIndexSchema>;
