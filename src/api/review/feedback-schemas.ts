import * as z from 'zod';
import { FEEDBACK_ROUNDS_MAX, TIMEOUT_SECONDS_SETTING_MAX } from '../../domain/limits.ts';
import { count, flag, nullableText, shape, text, texts } from '../shape.ts';
import type * as api from './feedback-contract.ts';

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

const failure = z.object({ code: text, message: text }).nullable();

const fate = z.enum(['accepted', 'rejected', 'partial']);

const item = shape<api.FeedbackItemView>({
  id: text,
  aspect: text,
  description: text,
  recommendation: text,
  foundBy: texts,
  fate: z.enum(['open', 'accepted', 'rejected', 'partial', 'disputed']),
  reason: nullableText,
  firstRound: count,
  lastRound: count,
  decided: z.object({ status: fate, by: text, reason: nullableText }).nullable(),
  insisted: z.array(z.object({ reviewer: text, text })),
});

const roundFields = {
  round: count,
  answers: z.array(
    shape<api.ReviewerAnswerView>({
      reviewer: text,
      session: nullableText,
      iteration: count.nullable(),
      findings: count,
      error: failure,
    }),
  ),
  fix: shape<api.FixView>({ task: text, signal: nullableText, message: nullableText }).nullable(),
};
const round = shape<api.RoundView>({ ...roundFields, items: z.array(item) });

const feedbackFields = {
  feedback: text,
  subject: text,
  state: z.enum(['asking', 'deciding', 'fixing', 'waiting', 'over']),
  isByPerson: flag,
  reviewers: texts,
  fixer: nullableText,
  round: count,
  roundsMax: count,
  items: z.array(item),
  undecided: texts,
  fixTask: nullableText,
  end: z.object({ why: text, message: nullableText }).nullable(),
  facts: count,
};

export const FEEDBACK_SCHEMAS = {
  BeginFeedbackRequest: z.object({
    /** The artifact is one of these three. */
    file: text.optional(),
    text: text.optional(),
    task: text.optional(),
    mediaType: text.optional(),
    workspace: text,
    /** Names of the reviewers. */
    from: texts,
    /** The agent that changes the artifact. */
    fix: text.optional(),
    /** `person`: decideFeedback decides on each finding; absent, the fixing agent does. */
    decide: z.enum(['person']).optional(),
    rounds: z.int().min(1).max(FEEDBACK_ROUNDS_MAX).optional(),
    ask: text.optional(),
    checks: texts.optional(),
  }),
  FeedbackRequest: z.object({ feedback: text, after: count.optional() }),
  CarryFeedbackRequest: z.object({ feedback: text }),
  DecideFeedbackRequest: z.object({
    feedback: text,
    round: count,
    decisions: z.array(
      z.object({
        id: text,
        status: z.enum(['accepted', 'rejected', 'partial']),
        explanation: text.optional(),
      }),
    ),
  }),
  FeedbackOpened: shape<api.FeedbackOpened>({ feedback: text }),
  FeedbackView: shape<api.FeedbackView>({ ...feedbackFields, rounds: z.array(round), response: nullableText }),
  ReviewRequest: z.object({ task: text }),
  ReviewBegun: shape<api.ReviewBegun>({ task: text, feedback: nullableText, reason: nullableText }),
  FeedbackListRequest: z.object({ task: text }),
  FeedbackList: shape<api.FeedbackList>({
    feedbacks: z.array(shape<api.FeedbackLine>({ ...feedbackFields, rounds: z.array(z.object(roundFields)) })),
  }),
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
