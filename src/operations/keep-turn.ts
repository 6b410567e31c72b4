import { refuse } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { type AgentLog, insertAgentLog, selectTurn } from '../ledger/statements/agent-logs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';

/** D-S2: a turn is kept as it was said, once; the same again changes nothing, another one in its place is refused. */
export const keepTurn: Command<AgentLog, { readonly isNew: boolean }> = (tx, log) => {
  if (!selectTask(tx, log.taskId)) return refuse('task_not_found', `there is no task ${log.taskId}`);
  const before = log.turnIndex === null ? null : selectTurn(tx, log);
  if (before === log.envelope) return { isNew: false };
  if (before !== null) return refuse('turn_index_taken', `turn ${log.turnIndex} of ${log.taskId} says something else`);
  insertAgentLog(tx, log);
  return { isNew: true };
};
