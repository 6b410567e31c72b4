import * as z from 'zod';
import { id, instant, text } from '../../fields.ts';
import { idListSchema } from './parts.ts';

/** Runtime §8; failureClass as in task_failed. */
export const reviewSchema = z.object({
  reviewId: id(),
  capabilityId: id(),
  delegationSkillVersion: text(),
  executorSkillVersion: text(),
  failureClass: text(),
  sampleCorrIds: idListSchema,
  createdAt: instant(),
});

export type Review = z.infer<typeof reviewSchema>;
