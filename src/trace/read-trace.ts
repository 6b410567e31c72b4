import type { LedgerEvent } from '../domain/ledger-event.ts';
import { type CountingSpan, countingSpans, isSuperseded } from '../domain/trace.ts';
import { selectTrace, type TraceFilter, type TracePart, type TraceRow } from '../ledger/statements/agent-logs.ts';
import { selectEventsThat } from '../ledger/statements/events.ts';
import { selectRewinds } from '../ledger/statements/points.ts';
import type { Reader } from '../ledger/tx.ts';

/** The type of the events that stand for moves of the task. */
const TRANSITION_KIND = 'TASK_TRANSITION';

/** One step of a trace: a message of an agent, or a move of its task. */
export type TraceStep = { readonly place: number; readonly isSuperseded: boolean } & (
  | { readonly kind: 'message'; readonly row: TraceRow }
  | { readonly kind: 'move'; readonly event: LedgerEvent }
);

export interface TraceSteps {
  readonly steps: readonly TraceStep[];
  /** The place to continue from; null where nothing follows. */
  readonly next: number | null;
}

/** A page of the trace of a task: what its agents sent, by turn, and the moves of the task between it. */
export function readTrace(read: Reader, filter: TraceFilter, part: TracePart): TraceSteps {
  const spans = countingSpans(selectRewinds(read, filter.taskId));
  const rows = wantsMessages(filter) ? selectTrace(read, filter, part) : [];
  // Moves beyond the last message of a full page belong to the next one.
  const end = rows.length === part.limit ? (rows.at(-1)?.place ?? null) : null;
  const moves = wantsMoves(filter) ? selectMoves(read, filter, { part, end }) : [];
  const steps = [...rows.map((row) => messageStep(row, spans)), ...moves.map((event) => moveStep(event, spans))];
  const sign = part.isNewestFirst ? -1 : 1;
  const page = steps.sort((one, other) => sign * (one.place - other.place)).slice(0, part.limit);
  return { steps: page, next: page.length === part.limit ? (page.at(-1)?.place ?? null) : null };
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

function messageStep(row: TraceRow, spans: readonly CountingSpan[]): TraceStep {
  const { place } = row;
  return { kind: 'message', place, isSuperseded: isSuperseded(spans, place), row };
}

function moveStep(event: LedgerEvent, spans: readonly CountingSpan[]): TraceStep {
  const place = event.seq;
  return { kind: 'move', place, isSuperseded: isSuperseded(spans, place), event };
}
