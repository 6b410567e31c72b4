import { ONCE, READ } from './call-spec.ts';

/** The calls by which an agent or a person gets feedback from a peer. */
export const FEEDBACK_CALLS = {
  askFeedback: {
    ...ONCE,
    path: '/v1/feedback/ask',
    request: 'AskRequest',
    answer: 'FeedbackTaken',
    status: 201,
    about: 'Asks an agent for feedback by an AFP Request Object, in a new session or in one that is there.',
  },
  awaitFeedback: {
    ...READ,
    path: '/v1/feedback/answer',
    request: 'AwaitRequest',
    answer: 'AwaitedFeedback',
    pending: { answer: null },
    isLong: true,
    about: 'Waits for the answer to a request for feedback.',
  },
} as const;
