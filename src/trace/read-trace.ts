import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import { OUTPUT_KIND, readFollowing } from '../domain/trace/printed-lines.ts';
import { type CountingSpan, countingSpans, isSuperseded, type PrintedLine } from '../domain/trace/trace.ts';
import {
  LINE_PLACE,
  selectTrace,
  type TraceFilter,
  type TracePart,
  type TraceRow,
} from '../ledger/statements/agent-logs.ts';
import { selectEventsThat } from '../ledger/statements/events.ts';
import { selectRewinds } from '../ledger/statements/points.ts';
import type { Reader } from '../ledger/tx.ts';

/** The type of the events that stand for moves of the task. */
const TRANSITION_KIND = 'TASK_TRANSITION';

/** One step of a trace: a message of an agent, or a move of its task. */
export type TraceStep = { readonly place: number; readonly isSuperseded: boolean } & (
  | { readonly kind: 'message'; readonly row: TraceRow; readonly following: FollowingLine | null }
  | { readonly kind: 'move'; readonly event: LedgerEvent }
);

/** A line of output that its record has after the first, counted from 1. */
export interface FollowingLine {
  readonly line: PrintedLine;
  readonly index: number;
}

export interface TraceSteps {
  readonly steps: readonly TraceStep[];
  /** The place to continue from; null where nothing follows. */
  readonly next: number | null;
}

/** A page of the trace of a task: what its agents sent, by turn, and the moves of the task between it. */
export function readTrace(read: Reader, filter: TraceFilter, part: TracePart): TraceSteps {
  const spans = countingSpans(selectRewinds(read, filter.taskId));
  const { messages, end } = wantsMessages(filter) ? readMessages(read, filter, { part, spans }) : NO_MESSAGES;
  const moves = wantsMoves(filter) ? selectMoves(read, filter, { part, end }) : [];
  const sign = part.isNewestFirst ? -1 : 1;
  const steps = [...messages, ...moves.map((event) => moveStep(event, spans))];
  const page = steps.sort((one, other) => sign * (one.place - other.place)).slice(0, part.limit);
  return { steps: page, next: page.length === part.limit ? (page.at(-1)?.place ?? null) : null };
}

interface ReadMessages {
  readonly messages: readonly TraceStep[];
  /** Moves beyond the last message of a full page belong to the next one; null where no message follows. */
  readonly end: number | null;
}

const NO_MESSAGES: ReadMessages = { messages: [], end: null };
/** Read at first; a row may have hundreds of steps. */
const ROWS_AT_FIRST = 4;

/** At least the messages of a page, where there are so many. */
function readMessages(
  read: Reader,
  filter: TraceFilter,
  { part, spans }: { readonly part: TracePart; readonly spans: readonly CountingSpan[] },
): ReadMessages {
  const messages: TraceStep[] = [];
  let { from } = part;
  for (let limit = ROWS_AT_FIRST; messages.length < part.limit; limit *= 2) {
    const rows = selectTrace(read, filter, { ...part, from, limit });
    const steps = rows.flatMap((row) => messageSteps(row, spans));
    messages.push(...steps.filter(({ place }) => isBehind(place, from, part)));
    if (rows.length < limit) return { messages, end: null };
    from = part.isNewestFirst ? (rows.at(-1)?.place ?? from) : (steps.at(-1)?.place ?? from);
  }
  return { messages, end: from };
}

/** The unread lines of output that was read in part. */
function isBehind(place: number, from: number | null, { isNewestFirst }: TracePart): boolean {
  return from === null || (isNewestFirst ? place < from : place > from);
}

function wantsMoves({ kinds }: TraceFilter): boolean {
  return kinds === null || kinds.includes(TRANSITION_KIND);
}

function wantsMessages({ kinds }: TraceFilter): boolean {
  return kinds === null || kinds.some((kind) => kind !== TRANSITION_KIND);
}

function selectMoves(
  read: Reader,
  { taskId, runId }: TraceFilter,
  { part, end }: { readonly part: TracePart; readonly end: number | null },
): readonly LedgerEvent[] {
  const { from, isNewestFirst, limit } = part;
  const [low, high] = isNewestFirst ? [end, from] : [from, end];
  const filter = { taskId, runId, sessionId: null, types: ['task.transitioned', 'task.rewound'], sinceMs: 0 } as const;
  // Places of messages lie between those of events: a fraction belongs to the event above it.
  const after = low === null ? 0 : Math.floor(low);
  const before = high === null ? undefined : Math.ceil(high);
  return selectEventsThat(read, filter, { after, before, isNewestFirst, limit });
}

/** One step, or one for each line of output that the row has. */
function messageSteps(row: TraceRow, spans: readonly CountingSpan[]): readonly TraceStep[] {
  const { place, kind, shown } = row;
  const step = { kind: 'message', place, isSuperseded: isSuperseded(spans, place), row, following: null } as const;
  if (kind !== OUTPUT_KIND || shown === null) return [step];
  const following = readFollowing(shown).map((line, at) => {
    const index = at + 1;
    return { ...step, place: place + index * LINE_PLACE, following: { line, index } };
  });
  return [step, ...following];
}

function moveStep(event: LedgerEvent, spans: readonly CountingSpan[]): TraceStep {
  const place = event.seq;
  return { kind: 'move', place, isSuperseded: isSuperseded(spans, place), event };
}
