import type { Refusal } from '../domain/refusal.ts';
import type { SendAnswer } from './contract.ts';

/** The answer to a message that could not be read. */
export function unreadableMessage({ code, errors, hint }: Pick<SendAnswer, 'code' | 'errors' | 'hint'>): SendAnswer {
  return { verdict: 'malformed', code, errors, warnings: [], hint, events: [], task: null };
}

/** The answer to a message that its caller may not send, or that no node could receive. */
export function refusedMessage({ code, path, message, hint }: Refusal): SendAnswer {
  return { verdict: 'refused', code, errors: [{ path, message }], warnings: [], hint, events: [], task: null };
}
