import * as z from 'zod';
import { FEEDBACK_ROUNDS_MAX, TIMEOUT_SECONDS_SETTING_MAX } from '../../domain/limits.ts';
import { anyText, bool, nullableText, shape, texts, wholeNumber } from '../shape.ts';
import type * as api from './feedback-contract.ts';

const answer = shape<api.FeedbackAnswerView>({
  session: anyText,
  iteration: wholeNumber,
  response: anyText,
  isSuccess: bool,
  askedAt: anyText,
  answeredAt: anyText,
  costUsd: z.number(),
  tokensInput: wholeNumber,
  tokensOutput: wholeNumber,
});

const failure = z.object({ code: anyText, message: anyText }).nullable();

const fate = z.enum(['accepted', 'rejected', 'partial']);

const item = shape<api.FeedbackItemView>({
  id: anyText,
  aspect: anyText,
  description: anyText,
  recommendation: anyText,
  foundBy: texts,
  fate: z.enum(['open', 'accepted', 'rejected', 'partial', 'disputed']),
  reason: nullableText,
  firstRound: wholeNumber,
  lastRound: wholeNumber,
  decided: z.object({ status: fate, by: anyText, reason: nullableText }).nullable(),
  insisted: z.array(z.object({ reviewer: anyText, text: anyText })),
});

const roundFields = {
  round: wholeNumber,
  answers: z.array(
    shape<api.ReviewerAnswerView>({
      reviewer: anyText,
      session: nullableText,
      iteration: wholeNumber.nullable(),
      findings: wholeNumber,
      error: failure,
    }),
  ),
  fix: shape<api.FixView>({ task: anyText, signal: nullableText, message: nullableText }).nullable(),
};
const round = shape<api.RoundView>({ ...roundFields, items: z.array(item) });

const feedbackFields = {
  feedback: anyText,
  subject: anyText,
  state: z.enum(['asking', 'deciding', 'fixing', 'waiting', 'over']),
  isByPerson: bool,
  reviewers: texts,
  fixer: nullableText,
  round: wholeNumber,
  roundsMax: wholeNumber,
  items: z.array(item),
  undecided: texts,
  fixTask: nullableText,
  end: z.object({ why: anyText, message: nullableText }).nullable(),
  facts: wholeNumber,
};

export const FEEDBACK_SCHEMAS = {
  BeginFeedbackRequest: z.object({
    /** The artifact is one of these three. */
    file: anyText.optional(),
    text: anyText.optional(),
    task: anyText.optional(),
    mediaType: anyText.optional(),
    workspace: anyText,
    /** Names of the reviewers. */
    from: texts,
    /** The agent that changes the artifact. */
    fix: anyText.optional(),
    /** `person`: decideFeedback decides on each finding; absent, the fixing agent does. */
    decide: z.enum(['person']).optional(),
    rounds: z.int().min(1).max(FEEDBACK_ROUNDS_MAX).optional(),
    ask: anyText.optional(),
    checks: texts.optional(),
  }),
  FeedbackRequest: z.object({ feedback: anyText, after: wholeNumber.optional() }),
  CarryFeedbackRequest: z.object({ feedback: anyText }),
  DecideFeedbackRequest: z.object({
    feedback: anyText,
    round: wholeNumber,
    decisions: z.array(
      z.object({
        id: anyText,
        status: z.enum(['accepted', 'rejected', 'partial']),
        explanation: anyText.optional(),
      }),
    ),
  }),
  FeedbackOpened: shape<api.FeedbackOpened>({ feedback: anyText }),
  FeedbackView: shape<api.FeedbackView>({ ...feedbackFields, rounds: z.array(round), response: nullableText }),
  ReviewRequest: z.object({ task: anyText }),
  ReviewBegun: shape<api.ReviewBegun>({ task: anyText, feedback: nullableText, reason: nullableText }),
  FeedbackListRequest: z.object({ task: anyText }),
  FeedbackList: shape<api.FeedbackList>({
    feedbacks: z.array(shape<api.FeedbackLine>({ ...feedbackFields, rounds: z.array(z.object(roundFields)) })),
  }),
  AskRequest: z.object({
    /** The agent that is asked; that of the session if absent. */
    agent: anyText.optional(),
    /** A session of an earlier request. */
    session: anyText.optional(),
    /** The AFP Request Object, as JSON. */
    text: anyText,
    /** The folder that the agent may read: absolute. */
    workspace: anyText,
    timeoutSeconds: z.int().min(1).max(TIMEOUT_SECONDS_SETTING_MAX).optional(),
  }),
  AwaitRequest: z.object({ session: anyText, iteration: wholeNumber }),
  FeedbackTaken: shape<api.FeedbackTaken>({
    session: anyText,
    iteration: wholeNumber,
    askedAt: anyText,
    warnings: texts,
    answer: answer.nullable(),
  }),
  AwaitedFeedback: shape<api.AwaitedFeedback>({ answer: answer.nullable() }),
} as const;
