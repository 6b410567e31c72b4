import type { LedgerEvent } from '../domain/ledger-event.ts';
import { refuse } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { type AgentLog, insertAgentLog, selectRecorded } from '../ledger/statements/agent-logs.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { selectRun } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';

export interface RecordedTurn extends AgentLog {
  /** For its event: names and numbers, never the agent's own text. */
  readonly about?: Readonly<Record<string, string | number>>;
}

/**
 * Records a turn or an event of an agent, and logs it. The same one again changes nothing; a different one with its index
 * or id is refused.
 */
export const recordTurn: Command<RecordedTurn, { readonly events: readonly LedgerEvent[] }> = (
  tx,
  { about, ...log },
) => {
  const { taskId, runId, turnIndex, eventId } = log;
  const task = selectTask(tx, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const before = selectRecorded(tx, log);
  if (before === log.envelope) return { events: [] };
  if (before !== null) {
    const which = turnIndex === null ? `event ${eventId}` : `turn ${turnIndex}`;
    return refuse('turn_index_taken', `${which} of ${taskId} was recorded with another content`);
  }
  const payload = { run: runId, ...(turnIndex === null ? { eventId } : { turnIndex }), ...about };
  const type = turnIndex === null ? 'trace.event_recorded' : 'turn.recorded';
  const actor = (runId === null ? null : selectRun(tx, runId)?.agent) ?? task.routing.agent ?? 'unknown';
  const event = insertEvent(tx, { type, actor, taskId: task.id, runId, payload });
  insertAgentLog(tx, log, event.seq);
  return { events: [event] };
};
