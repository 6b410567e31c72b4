import { assertNever } from '../../domain/assert-never.ts';
import { maskChunk, NOTHING_OPEN, type OpenText } from '../../domain/secrets/mask-secrets.ts';
import type { Task } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { storeFollowing } from '../../domain/trace/printed-lines.ts';
import type { MadeTrace, PrintedLine, TraceFact, TraceMessage } from '../../domain/trace/trace.ts';
import { insertAgentLog } from '../../ledger/statements/agent-logs.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import {
  callSubject,
  type MarkedRun,
  selectMark,
  setMark,
  thoughtSubject,
} from '../../ledger/statements/trace-marks.ts';
import type { Tx } from '../../ledger/tx.ts';

/** A message of a trace, and the run that it is of; null for an operator's without one. */
export interface RecordedTrace extends TraceMessage, MarkedRun {
  /** The author of its event; absent: the agent of the run. */
  readonly actor?: string;
  /** Lines of output that one record has: the message is the first. */
  readonly lines?: readonly PrintedLine[];
}

/** Adds a message of a trace with its event and its mark, in the open transaction. */
export function writeTrace(tx: Tx, task: Task, traced: RecordedTrace): LedgerEvent {
  const { fact } = traced;
  const chunk = fact.kind === 'thought' ? shownChunk(tx, traced, fact) : null;
  const event = addTraceRow(tx, task, { ...traced, shown: chunk?.text ?? null });
  mark(tx, traced, chunk?.open ?? NOTHING_OPEN);
  return event;
}

/** A message whose chunk is shown with another text. */
interface ShownTrace extends RecordedTrace {
  readonly shown?: string | null;
}

/** Adds a message with its event alone. */
export function addTraceRow(tx: Tx, task: Task, traced: ShownTrace): LedgerEvent {
  const { runId, fact, eventId, type: kind, envelope, lines, shown = null } = traced;
  const isTurn = fact.kind === 'turn';
  const about = isTurn
    ? { turnIndex: fact.index, confidence: fact.confidence }
    : { eventId, kind, ...toolOf(fact), ...(lines && { lines: lines.length }) };
  const agent = () => (runId === null ? null : selectRun(tx, runId)?.agent) ?? task.routing.agent ?? 'unknown';
  const actor = traced.actor ?? agent();
  const type = isTurn ? 'turn.recorded' : 'trace.event_recorded';
  const event = insertEvent(tx, { type, actor, taskId: task.id, runId, payload: { run: runId, ...about } });
  const turnIndex = isTurn ? fact.index : null;
  const text = shown ?? (lines ? storeFollowing(lines) : null);
  insertAgentLog(tx, { taskId: task.id, runId, turnIndex, eventId, kind, envelope, shown: text }, event.seq);
  return event;
}

function toolOf(fact: TraceFact): { readonly tool?: string } {
  return fact.kind === 'call' || fact.kind === 'return' ? { tool: fact.tool } : {};
}

/** saop:masking: chunks that follow decide whether the end of one belongs to a secret, so it is shown with them. */
function shownChunk(tx: Tx, run: MarkedRun, { turnIndex, chunk, isFinal }: Extract<TraceFact, { kind: 'thought' }>) {
  const before = selectMark(tx, run, thoughtSubject(turnIndex));
  const { open = NOTHING_OPEN } = before === null ? {} : (JSON.parse(before.detail) as { readonly open?: OpenText });
  return maskChunk(open, chunk, isFinal);
}

function mark(tx: Tx, traced: RecordedTrace, open: OpenText): void {
  const { fact } = traced;
  const at = tx.moment.now.wallMs;
  switch (fact.kind) {
    case 'thought': {
      const { turnIndex, role, isFinal } = fact;
      setMark(tx, traced, {
        subject: thoughtSubject(turnIndex),
        isOpen: !isFinal,
        detail: JSON.stringify(isFinal || open.tail === '' ? { role } : { role, open }),
        at,
      });
      return;
    }
    case 'call':
    case 'return': {
      const { kind, callId, tool } = fact;
      setMark(tx, traced, {
        subject: callSubject(callId),
        isOpen: kind === 'call',
        detail: JSON.stringify({ tool }),
        at,
      });
      return;
    }
    case 'turn':
    case 'other':
      return;
    default:
      assertNever(fact);
  }
}

type TraceDraft = MadeTrace extends infer One
  ? One extends MadeTrace
    ? Omit<One, 'eventId' | 'sessionId' | 'at'>
    : never
  : never;

/** Adds a message that Baton itself makes for the trace of a run. */
export function writeMade(
  tx: Tx,
  task: Task,
  { made, ...run }: MarkedRun & Pick<RecordedTrace, 'actor' | 'lines'> & { readonly made: TraceDraft },
): LedgerEvent {
  const { now, ids } = tx.moment;
  const eventId = ids.uuid();
  const sessionId = task.sessionId ?? task.id;
  const message = tx.encodeTrace({ ...made, eventId, sessionId, at: now.wallMs });
  return writeTrace(tx, task, { ...run, ...message });
}
