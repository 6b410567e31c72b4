import { isRefusal, refuse } from '../domain/refusal.ts';
import type { FeedbackAsk } from '../reviews/asked-feedback.ts';
import type { FeedbackProvider } from '../reviews/feedback-provider.ts';
import { acceptedAnswer, type MessageAnswer, type ProtocolReceiver, refusedAnswer } from './received.ts';

export interface AfpParts {
  /** Loaded with the first request. */
  provider(): Promise<FeedbackProvider>;
}

/** AFP §4.2: whatever the text is, its sender gets a Response Object. */
export async function askForFeedback({ provider }: AfpParts, ask: FeedbackAsk): Promise<MessageAnswer> {
  const begun = await (await provider()).begin(ask);
  return isRefusal(begun) ? refusedAnswer(begun) : { ...acceptedAnswer({ task: null, events: [] }), feedback: begun };
}

/** AFP: a request without the agent that it is for. */
export const receiveAfp: ProtocolReceiver = {
  accept: async ({ kind }) => {
    const message =
      kind === 'request' ? NAMES_NOBODY : `${kind} is read from the output of an agent that was asked for it`;
    return refusedAnswer({
      ...refuse('not_served', message),
      hint: 'baton afp --agent NAME, or POST /v1/feedback/ask',
    });
  },
};

const NAMES_NOBODY = 'a Request Object names no agent: name the reviewer';
