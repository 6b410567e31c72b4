import type { Calls } from '../node-client.ts';
import { type CarryParts, carryByHand, stopByHand } from './carry-and-stop.ts';
import { questionCalls } from './question-calls.ts';
import { sayByHand } from './say-call.ts';

type TalkCalls = Pick<Calls, 'carryTask' | 'stopOrder' | 'sayWords' | 'listQuestions' | 'answerQuestion'>;

/** The calls by which a person starts, stops, tells and answers agents. */
export function talkCalls(parts: CarryParts): TalkCalls {
  return {
    carryTask: async ({ task }) => carryByHand(parts, task),
    stopOrder: ({ task }, options) => stopByHand(parts, task, options),
    sayWords: (request, options) => sayByHand(parts, request, options),
    ...questionCalls(parts),
  };
}
