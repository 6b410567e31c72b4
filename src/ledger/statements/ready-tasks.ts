import type { ReadyTask } from '../../domain/order/plan-dispatch.ts';
import type { RoutedTask, TaskName } from '../../domain/task/task.ts';
import type { Reader } from '../tx.ts';

// The same rule as isDue of src/domain/execution/next-step.ts.
const SELECT_READY = `SELECT id, agent, resource, session_id FROM tasks WHERE status = 'ready'
  AND agent IS NOT NULL AND open_dependencies = 0 AND (due_at IS NULL OR due_at <= ?1 OR ?1 < last_transition_at)
  AND (?3 IS NULL OR id IN (SELECT value FROM json_each(?3)) OR session_id IN (SELECT value FROM json_each(?4)))
  AND (session_id IS NULL OR session_id NOT IN (SELECT value FROM json_each(?5))) ORDER BY priority, number LIMIT ?2`;

/** The tasks that a node runs: these, and all of these sessions. */
export interface AskedFor {
  readonly tasks: readonly TaskName[];
  readonly sessions: readonly string[];
}

export interface ReadyFilter {
  readonly wallMs: number;
  readonly limit: number;
  /** Null for all tasks. */
  readonly among: AskedFor | null;
  /** Sessions that run as many tasks as they may: theirs would take the place of others. */
  readonly fullSessions?: readonly string[];
}

/** Tasks that wait only for an agent, most urgent first. The cost grows with ready tasks, not with ended ones. */
export function selectReady(tx: Reader, { wallMs, limit, among, fullSessions = [] }: ReadyFilter): ReadyTask[] {
  const [tasks, sessions] = [among && JSON.stringify(among.tasks), JSON.stringify(among?.sessions ?? [])];
  const rows = tx.tuples(SELECT_READY, wallMs, limit, tasks, sessions, JSON.stringify(fullSessions));
  return rows.map(([id, agent, resource, sessionId]) => ({
    id: id as TaskName,
    agent: agent as string,
    resource: resource as string | null,
    sessionId: sessionId as string | null,
  }));
}

const SELECT_PROMOTABLE = `SELECT id FROM tasks WHERE status = 'backlog' AND agent IS NOT NULL AND open_dependencies = 0
  ORDER BY priority, number LIMIT ?`;

const SELECT_PROMOTABLE_REMOTE = `SELECT id FROM tasks WHERE id IN (SELECT task_id FROM sent_tasks WHERE is_open = 1)
  AND status = 'backlog' AND open_dependencies = 0 ORDER BY priority, number LIMIT ?`;

/** aof:dispatch: tasks of the backlog that have an agent, or that another node is to do, and that wait for nothing. */
export function selectPromotable(tx: Reader, limit: number): TaskName[] {
  const rows = [...tx.tuples(SELECT_PROMOTABLE, limit), ...tx.tuples(SELECT_PROMOTABLE_REMOTE, limit)];
  return rows.slice(0, limit).map(([id]) => id as TaskName);
}

/** The runs that hold tasks of a session now. */
export function selectRunningIn(tx: Reader, sessionId: string): string[] {
  const sql = "SELECT run_id FROM tasks WHERE status = 'in-progress' AND session_id = ? AND run_id IS NOT NULL";
  return tx.tuples(sql, sessionId).map(([id]) => id as string);
}

export interface BusyTasks {
  readonly tasks: readonly RoutedTask[];
  readonly heldResources: ReadonlySet<string>;
}

const SELECT_RUNNING = `SELECT task_id, agent FROM runs WHERE status = 'running'
  AND task_id NOT IN (SELECT task_id FROM sent_tasks WHERE is_open = 1)`;

/** The tasks that run here with their agents, and the resources that tasks hold. */
export function selectBusy(tx: Reader): BusyTasks {
  const rows = tx.tuples(SELECT_RUNNING);
  const tasks = rows.map(([id, agent]) => ({ id: id as TaskName, agent: agent as string }));
  const held = tx.tuples("SELECT resource FROM tasks WHERE resource IS NOT NULL AND status = 'in-progress'");
  return { tasks, heldResources: new Set(held.map(([resource]) => resource as string)) };
}
