import { assertNever } from '../domain/assert-never.ts';
import { type Refusal, refuse, refusePart } from '../domain/refusal.ts';
import type { Task } from '../domain/task/task.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { TraceFact } from '../domain/trace/trace.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { selectRecorded } from '../ledger/statements/agent-logs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { callSubject, selectMark, thoughtSubject } from '../ledger/statements/trace-marks.ts';
import type { Tx } from '../ledger/tx.ts';
import { type RecordedTrace, writeMade, writeTrace } from '../operations/run/write-trace.ts';
import { watchEntropy } from './watch-entropy.ts';

/**
 * Records a turn or an event of an agent, and logs it. The same one again changes nothing; one with other content under its
 * index or id, and one that contradicts those before it, is refused.
 */
export const recordTrace: Command<RecordedTrace, { readonly events: readonly LedgerEvent[] }> = (tx, traced) => {
  const { taskId, fact } = traced;
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const before = selectRecorded(tx, { ...traced, turnIndex: fact.kind === 'turn' ? fact.index : null });
  if (before === traced.envelope) return { events: [] };
  const refusal = before === null ? refuseOutOfPlace(tx, traced) : refuseTaken(traced);
  if (refusal !== null) return refusal;
  const event = writeTrace(tx, task, traced);
  const streamed = fact.kind === 'turn' ? streamThought(tx, task, { ...traced, fact }) : [];
  return { events: [event, ...streamed, ...watchEntropy(tx, task, traced)] };
};

function refuseTaken({ eventId, taskId, fact }: RecordedTrace): Refusal {
  const what = (which: string) => `${which} of ${taskId} was recorded with another content`;
  return fact.kind === 'turn'
    ? refusePart('turn_index_taken', what(`turn ${fact.index}`), 'turn-index')
    : refusePart('event_id_taken', what(`event ${eventId}`), 'event-id');
}

/** A tool call ends once and after it began; nothing follows the last chunk of a thought. */
function refuseOutOfPlace(tx: Tx, traced: RecordedTrace): Refusal | null {
  const { fact } = traced;
  switch (fact.kind) {
    case 'thought': {
      const isOver = selectMark(tx, traced, thoughtSubject(fact.turnIndex))?.isOpen === false;
      const message = `the thought of turn ${fact.turnIndex} has its last chunk already`;
      return isOver ? refusePart('thought_ended', message, 'thought') : null;
    }
    case 'call': {
      const isTaken = selectMark(tx, traced, callSubject(fact.callId)) !== null;
      return isTaken ? refusePart('call_id_taken', `${fact.callId} was invoked before`, 'tool-call') : null;
    }
    case 'return': {
      const mark = selectMark(tx, traced, callSubject(fact.callId));
      if (mark?.isOpen) return null;
      const what = mark === null ? 'was never invoked' : 'is completed already';
      return refusePart('call_not_open', `${fact.callId} ${what}`, 'tool-call');
    }
    case 'turn':
    case 'other':
      return null;
    default:
      return assertNever(fact);
  }
}

/** saop:events: the thought of a turn that its agent did not stream is streamed when the turn arrives. */
function streamThought(
  tx: Tx,
  task: Task,
  traced: RecordedTrace & { readonly fact: Extract<TraceFact, { readonly kind: 'turn' }> },
): readonly LedgerEvent[] {
  const { index, role, thought } = traced.fact;
  if (selectMark(tx, traced, thoughtSubject(index)) !== null) return [];
  const made = { kind: 'thought', turnIndex: index, role, chunk: thought, isFinal: true } as const;
  return [writeMade(tx, task, { taskId: task.id, runId: traced.runId, made })];
}
