import type { ReadyTask } from '../../domain/decisions/plan-dispatch.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Reader } from '../tx.ts';

// What is due, as src/domain/is-due.ts has it.
const SELECT_READY = `SELECT id, agent, resource FROM tasks WHERE status = 'ready'
  AND agent IS NOT NULL AND open_dependencies = 0 AND (due_at IS NULL OR due_at <= ?1 OR ?1 < last_transition_at)
  ORDER BY priority, number LIMIT ?2`;

/** Tasks that wait only for an agent, most urgent first. Looks at what is ready, never at what is done. */
export function selectReady(tx: Reader, wallMs: number, limit: number): ReadyTask[] {
  return tx.tuples(SELECT_READY, wallMs, limit).map(([id, agent, resource]) => ({
    id: id as TaskName,
    agent: agent as string,
    resource: resource as string | null,
  }));
}

const SELECT_PROMOTABLE = `SELECT id FROM tasks WHERE status = 'backlog' AND agent IS NOT NULL AND open_dependencies = 0
  ORDER BY priority, number LIMIT ?`;

/** Tasks of the backlog that are routed and wait for nothing (D-A11). */
export function selectPromotable(tx: Reader, limit: number): TaskName[] {
  return tx.tuples(SELECT_PROMOTABLE, limit).map(([id]) => id as TaskName);
}

/** How many tasks each agent runs now, and what they hold. */
export function selectBusy(tx: Reader): { readonly running: Map<string, number>; readonly heldResources: Set<string> } {
  const rows = tx.tuples("SELECT agent FROM runs WHERE status = 'running'");
  const running = new Map<string, number>();
  for (const [agent] of rows) running.set(agent as string, (running.get(agent as string) ?? 0) + 1);
  const held = tx.tuples("SELECT resource FROM tasks WHERE resource IS NOT NULL AND status = 'in-progress'");
  return { running, heldResources: new Set(held.map(([resource]) => resource as string)) };
}
