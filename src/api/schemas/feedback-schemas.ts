import * as z from 'zod';
import { TIMEOUT_SECONDS_SETTING_MAX } from '../../domain/limits.ts';
import type * as api from '../feedback-contract.ts';
import { count, flag, shape, text, texts } from './shape.ts';

const answer = shape<api.FeedbackAnswerView>({
  session: text,
  iteration: count,
  response: text,
  isSuccess: flag,
  askedAt: text,
  answeredAt: text,
  costUsd: z.number(),
  tokensInput: count,
  tokensOutput: count,
});

export const FEEDBACK_SCHEMAS = {
  AskRequest: z.object({
    /** The agent that is asked; that of the session if absent. */
    agent: text.optional(),
    /** A session of an earlier request. */
    session: text.optional(),
    /** The AFP Request Object, as JSON. */
    text,
    /** The folder that the agent may read: absolute. */
    workspace: text,
    timeoutSeconds: z.int().min(1).max(TIMEOUT_SECONDS_SETTING_MAX).optional(),
  }),
  AwaitRequest: z.object({ session: text, iteration: count }),
  FeedbackTaken: shape<api.FeedbackTaken>({
    session: text,
    iteration: count,
    askedAt: text,
    warnings: texts,
    answer: answer.nullable(),
  }),
  AwaitedFeedback: shape<api.AwaitedFeedback>({ answer: answer.nullable() }),
} as const;
