import type { Calls } from '../node-client.ts';
import { carryByHand, stopByHand } from './carry-and-stop.ts';
import { questionCalls } from './question-calls.ts';
import { type ReviewParts, reviewCalls } from './review-calls.ts';
import { sayByHand } from './say-call.ts';

type TalkCalls = Pick<
  Calls,
  'carryTask' | 'stopOrder' | 'sayWords' | 'listQuestions' | 'answerQuestion' | 'approveReview' | 'returnReview'
>;

/** The calls by which a person starts, stops, tells and answers agents, and answers their work. */
export function talkCalls(parts: ReviewParts): TalkCalls {
  return {
    carryTask: async ({ task }) => carryByHand(parts, task),
    stopOrder: ({ task }, options) => stopByHand(parts, task, options),
    sayWords: (request, options) => sayByHand(parts, request, options),
    ...questionCalls(parts),
    ...reviewCalls(parts),
  };
}
