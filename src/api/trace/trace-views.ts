import type { LedgerEvent, TracedMessage } from '../../domain/trace/ledger-event.ts';
import { OUTPUT_KIND, readFollowing } from '../../domain/trace/printed-lines.ts';
import { TURN_KIND } from '../../domain/trace/trace.ts';
import { TRACED_TEXT_CHARACTERS_SHOWN } from '../../domain/trace/trace-limits.ts';
import { maskedMessage } from '../../domain/trace/traced-message.ts';
import { encodeTransition } from '../../protocols/saop/encode-transition.ts';
import { encodeFollowing } from '../../protocols/saop/trace-message.ts';
import type { FollowingLine, TraceStep } from '../../trace/read-trace.ts';
import type { TraceEntryView } from './trace-contract.ts';

type Message = Readonly<Record<string, unknown>>;

/** A message of a trace as it leaves the ledger. */
interface ShownMessage {
  readonly message: Message;
  readonly isCut: boolean;
}

/** A stored turn or event. Only whole texts are asked for by name: a page and a stream stay small. */
function viewTraced(traced: TracedMessage, isWhole: boolean): ShownMessage {
  // Masked before it is cut, so that no half of a secret is shown.
  const message = maskedMessage(traced);
  return isWhole ? { message, isCut: false } : cutMessage(message);
}

function cutMessage(message: Message): ShownMessage {
  let isCut = false;
  const cut = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (value.length <= TRACED_TEXT_CHARACTERS_SHOWN) return value;
      isCut = true;
      return `${value.slice(0, TRACED_TEXT_CHARACTERS_SHOWN)}… [cut: ${value.length} characters]`;
    }
    if (Array.isArray(value)) return value.map(cut);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cut(part)]));
  };
  return { message: cut(message) as Message, isCut };
}

/** The messages of SAOP behind an event of the log: several where lines of output came together, mostly none or one. */
export function traceMessagesOf(event: LedgerEvent): readonly Message[] {
  const { trace, payload } = event;
  if (!trace) {
    const move = encodeTransition(event);
    return move === null ? [] : [move];
  }
  if (payload.kind !== OUTPUT_KIND || trace.shown === null) return [viewTraced(trace, false).message];
  const first = viewTraced({ ...trace, shown: null }, false).message;
  const following = readFollowing(trace.shown).map((line, at) => viewFollowing(first, { line, index: at + 1 }));
  return [first, ...following];
}

/** A line of output that is stored after the first of its record. Its text was masked and cut before it was stored. */
function viewFollowing(first: Message, following: FollowingLine): Message {
  return encodeFollowing(first as Parameters<typeof encodeFollowing>[0], following);
}

function viewOf({ row, following }: Extract<TraceStep, { readonly kind: 'message' }>, isWhole: boolean): ShownMessage {
  const { kind, shown } = row;
  const isOutput = kind === OUTPUT_KIND;
  const first = viewTraced(isOutput ? { ...row, shown: null } : row, isWhole);
  return following === null || shown === null
    ? first
    : { message: viewFollowing(first.message, following), isCut: false };
}

export function viewTraceStep(step: TraceStep, isWhole: boolean): TraceEntryView {
  const about = { cursor: String(step.place), isSuperseded: step.isSuperseded };
  if (step.kind === 'move') {
    const { seq, at, runId } = step.event;
    const message = encodeTransition(step.event) as Message;
    const move = { type: 'TASK_TRANSITION', turnIndex: null, isCut: false, message };
    return { ...about, eventId: seq, runId, at: new Date(at).toISOString(), ...move };
  }
  const { seq, at, runId, kind, turnIndex } = step.row;
  const { message, isCut } = viewOf(step, isWhole);
  const type = kind ?? TURN_KIND;
  return { ...about, eventId: seq, runId, at: new Date(at).toISOString(), type, turnIndex, isCut, message };
}
