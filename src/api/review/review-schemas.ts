import * as z from 'zod';
import { orderPlan } from '../order/order-schemas.ts';
import { shape, text } from '../shape.ts';
import { taskView } from '../task/task-schemas.ts';
import { attentionList } from '../task/waiting-schemas.ts';
import type * as api from './review-contract.ts';

const reviewed = text.describe('A task in review, or the id of its entry in the attention queue.');

export const REVIEW_SCHEMAS = {
  AttentionRequest: z.object({ task: text.optional() }),
  AttentionList: attentionList,
  ApproveRequest: z.object({
    task: reviewed,
    message: text.optional(),
  }),
  ReturnRequest: z.object({
    task: reviewed,
    /** A comment on the whole work. */
    message: text.optional(),
    comments: z
      .array(
        z.object({
          text,
          /** A file of the work. */
          path: text.optional(),
          /** In the file as the work left it. */
          line: z.int().min(1).optional(),
        }),
      )
      .optional(),
  }),
  ReviewAnswer: shape<api.ReviewAnswer>({
    task: taskView,
    answer: z.enum(['approved', 'returned']),
    by: text,
    at: text,
    items: z.array(z.object({ id: text, aspect: text, text })),
    plan: orderPlan.nullable(),
  }),
} as const;
