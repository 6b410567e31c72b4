import { ONCE, READ, REPEATABLE } from '../call-spec.ts';

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
  beginFeedback: {
    ...ONCE,
    path: '/v1/feedback',
    request: 'BeginFeedbackRequest',
    answer: 'FeedbackOpened',
    status: 201,
    about:
      'Begins feedback in rounds: reviewers are asked, findings decided on and dealt with, and reviewers asked again.',
  },
  beginReview: {
    ...REPEATABLE,
    path: '/v1/tasks/{task}/review',
    request: 'ReviewRequest',
    answer: 'ReviewBegun',
    isLong: true,
    about: 'Has the work of a task in review reviewed by the agents of its policy, or continues that review.',
  },
  listFeedback: {
    ...READ,
    path: '/v1/tasks/{task}/feedback',
    request: 'FeedbackListRequest',
    answer: 'FeedbackList',
    about: 'Lists the reviews of the work of a task: rounds, findings and what became of each, newest first.',
  },
  showFeedback: {
    ...READ,
    path: '/v1/feedback/{feedback}',
    request: 'FeedbackRequest',
    answer: 'FeedbackView',
    isLong: true,
    about: 'Shows feedback in rounds; with `after` it waits some seconds for news.',
  },
  carryFeedback: {
    ...REPEATABLE,
    path: '/v1/feedback/{feedback}/carry',
    request: 'CarryFeedbackRequest',
    answer: 'FeedbackOpened',
    about: 'Resumes feedback that an earlier node left.',
  },
  decideFeedback: {
    ...ONCE,
    path: '/v1/feedback/{feedback}/decide',
    request: 'DecideFeedbackRequest',
    answer: 'FeedbackOpened',
    about: "A person's decisions on the findings of a round. The first answer counts.",
  },
  stopFeedback: {
    ...REPEATABLE,
    path: '/v1/feedback/{feedback}/stop',
    request: 'CarryFeedbackRequest',
    answer: 'FeedbackOpened',
    about: 'Ends feedback in rounds, with the reviewers and the change that are under way.',
  },
} as const;
