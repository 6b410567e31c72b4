import {
  failureCodeOf,
  hintFor,
  type MessagePart,
  REFUSALS,
  type Refusal,
  type RefusalCode,
} from '../domain/refusal.ts';
import type { Channel } from '../domain/task/channel.ts';
import type { Task } from '../domain/task/task.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Accepted, Malformed, Problem, Warning } from '../protocols/codec.ts';
import type { FeedbackBegun } from '../reviews/feedback-provider.ts';

/** The node's answer to one message. It is the same for the same message, whatever its channel. */
export interface MessageAnswer {
  readonly verdict: 'accepted' | 'refused' | 'malformed' | 'foreign';
  readonly code: string | null;
  readonly errors: readonly Problem[];
  /** Parts of the message that were not used, such as an unknown field. */
  readonly warnings: readonly Warning[];
  /** A suggestion for a message that was not accepted. */
  readonly hint: string | null;
  readonly events: readonly LedgerEvent[];
  readonly task: Task | null;
  /** For a request for feedback that was taken. */
  readonly feedback?: FeedbackBegun;
}

const NOTHING = { errors: [], warnings: [], hint: null, events: [], task: null } as const;
const FOREIGN_HINT = 'baton check FILE explains it; baton schema lists all messages';

export const FOREIGN: MessageAnswer = { verdict: 'foreign', code: null, ...NOTHING, hint: FOREIGN_HINT };

export function acceptedAnswer(done: Pick<MessageAnswer, 'task' | 'events'>): MessageAnswer {
  return { verdict: 'accepted', code: null, ...NOTHING, ...done };
}

export function malformedAnswer({ code, errors }: Pick<Malformed, 'code' | 'errors'>): MessageAnswer {
  return { verdict: 'malformed', code, ...NOTHING, errors, hint: hintOf(code) };
}

/** The JSON Pointers of a protocol's messages to the parts that a refusal may be about. */
export type PartPaths = Readonly<Partial<Record<MessagePart, string>>>;

export function refusedAnswer(refusal: Refusal, paths: PartPaths = {}): MessageAnswer {
  const { code, part, message, hint, details = [], problems = [] } = refusal;
  const path = part === undefined ? refusal.path : (paths[part] ?? '');
  const errors = [{ path, message }, ...problems, ...details.map((detail) => ({ path, message: detail }))];
  return { verdict: 'refused', code, ...NOTHING, errors, hint };
}

/** The refusal behind an answer, for a call that answers with one. */
export function refusalOf({ code, errors: [first, ...others], hint }: MessageAnswer): Refusal {
  const { message = '', path = '' } = first ?? {};
  const advice = REFUSALS[code as RefusalCode];
  const more = others.length > 0 && { problems: others };
  return {
    kind: 'refusal',
    code: code as RefusalCode,
    message,
    path,
    ...advice,
    ...(hint !== null && { hint }),
    ...more,
  };
}

/** The hint of a code that may be one of its protocol alone; null for such a one. */
export function hintOf(code: string | null, task = 'TASK'): string | null {
  return code !== null && Object.hasOwn(REFUSALS, code) ? hintFor(failureCodeOf(code as RefusalCode), task) : null;
}

/** A message, its sender, and the key under which it takes effect once. */
export interface Delivery {
  readonly text: string;
  readonly channel: Channel;
  readonly key?: string | undefined;
}

/** Applies the messages of one protocol. It decides by the message and its sender, never by the way it came. */
export interface ProtocolReceiver {
  accept(verdict: Accepted<unknown>, delivery: Delivery): Promise<MessageAnswer>;
  /** Absent where nothing is recorded of a message that cannot be decoded. */
  reject?(verdict: Malformed, delivery: Delivery): Promise<MessageAnswer>;
}
