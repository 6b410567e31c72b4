import type { RunHolder } from '../../domain/channel.ts';
import type { LedgerEvent } from '../../domain/ledger-event.ts';
import { REFUSALS, type Refusal } from '../../domain/refusal.ts';
import type { Task } from '../../domain/task.ts';
import type { Malformed } from '../../protocols/codec.ts';
import type { SendAnswer } from '../contract.ts';
import { viewEvent, viewTask } from '../views.ts';

/** Who sends a message, and its key. */
export interface SendOptions {
  readonly key?: string;
  readonly run?: string | null;
  readonly holder?: RunHolder | null;
}

const NOTHING = { errors: [], hint: null, events: [], task: null } as const;
const FOREIGN_HINT = 'baton check FILE tells what it is; baton schema lists the messages there are';

export const FOREIGN: SendAnswer = { verdict: 'foreign', code: null, ...NOTHING, hint: FOREIGN_HINT };

export function malformedAnswer({ code, errors }: Malformed): SendAnswer {
  return { verdict: 'malformed', code, ...NOTHING, errors, hint: hintOf(code) };
}

export function refusedAnswer({ code, path, message, hint, details = [], problems = [] }: Refusal): SendAnswer {
  const errors = [{ path, message }, ...problems, ...details.map((detail) => ({ path, message: detail }))];
  return { verdict: 'refused', code, ...NOTHING, errors, hint };
}

export function hintOf(code: string | null): string | null {
  return code !== null && Object.hasOwn(REFUSALS, code) ? REFUSALS[code as keyof typeof REFUSALS].hint : null;
}

export function accepted(done: { readonly task: Task; readonly events: readonly LedgerEvent[] }): SendAnswer {
  const task = viewTask(done.task);
  return { verdict: 'accepted', code: null, ...NOTHING, events: done.events.map(viewEvent), task };
}
