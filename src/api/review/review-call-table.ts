import { CHANGE, READ } from '../call-spec.ts';

/** The calls about what waits for a person. */
export const REVIEW_CALLS = {
  listAttention: {
    ...READ,
    path: '/v1/attention',
    request: 'AttentionRequest',
    answer: 'AttentionList',
    names: ['task'],
    about:
      'Lists everything that waits for a person, the most pressing first: reviews, questions, blocked tasks, pauses, incidents.',
  },
  dayReport: {
    ...READ,
    path: '/v1/report',
    request: 'DayReportRequest',
    answer: 'DayReportAnswer',
    about:
      'Reports what ended since an instant: done, not done and why, what it cost, and what a person has to decide.',
  },
  agentStats: {
    ...READ,
    path: '/v1/agents/stats',
    request: 'Nothing',
    answer: 'AgentStatsAnswer',
    about: 'How often each agent succeeded, by category and repository, with its median time and cost.',
  },
  approveReview: {
    ...CHANGE,
    path: '/v1/tasks/{task}/approve',
    request: 'ApproveRequest',
    answer: 'ReviewAnswer',
    about: 'Accepts the work of a task in review: it is done. The first answer counts.',
  },
  returnReview: {
    ...CHANGE,
    path: '/v1/tasks/{task}/return',
    request: 'ReturnRequest',
    answer: 'ReviewAnswer',
    isLong: true,
    about:
      'Sends work in review back to its agent with numbered comments, into the same session and folder. The first answer counts.',
  },
} as const;
