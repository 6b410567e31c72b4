import * as z from 'zod';
import { orderPlan } from '../order/order-schemas.ts';
import { anyText, shape } from '../shape.ts';
import { taskView } from '../task/task-schemas.ts';
import { attentionList } from '../task/waiting-schemas.ts';
import type * as api from './review-contract.ts';

const reviewed = anyText.describe('A task in review, or the id of its entry in the attention queue.');

export const REVIEW_SCHEMAS = {
  AttentionRequest: z.object({ task: anyText.optional() }),
  AttentionList: attentionList,
  ApproveRequest: z.object({
    task: reviewed,
    message: anyText.optional(),
  }),
  ReturnRequest: z.object({
    task: reviewed,
    /** A comment on the whole work. */
    message: anyText.optional(),
    comments: z
      .array(
        z.object({
          text: anyText,
          /** A file of the work. */
          path: anyText.optional(),
          /** In the file as the work left it. */
          line: z.int().min(1).optional(),
        }),
      )
      .optional(),
  }),
  ReviewAnswer: shape<api.ReviewAnswer>({
    task: taskView,
    answer: z.enum(['approved', 'returned']),
    by: anyText,
    at: anyText,
    items: z.array(z.object({ id: anyText, aspect: anyText, text: anyText })),
    plan: orderPlan.nullable(),
  }),
} as const;
