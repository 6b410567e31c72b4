import type { Task, TaskName } from '../../../domain/task/task.ts';
import type { Reader, Tuple, Tx } from '../../tx.ts';

/** A round of a task that another node runs. */
export interface SentTask {
  readonly taskId: TaskName;
  readonly round: number;
  /** Its name on the wire. */
  readonly uid: string;
  readonly corrId: string;
  /** The task_create of the last time that it was sent; null before the first. */
  readonly eventId: string | null;
  /** How many times it was sent to somebody. */
  readonly sends: number;
  /** The node and agent that have accepted it; null before. */
  readonly node: string | null;
  readonly agent: string | null;
  readonly etaAt: number | null;
  readonly revisedEtaAt: number | null;
  readonly deadlineAt: number | null;
  /** As the other node told it last. */
  readonly status: string | null;
  readonly progress: number | null;
  readonly note: string | null;
  readonly theirTask: string | null;
  readonly sentAt: number | null;
  /** When the other node told something last. */
  readonly toldAt: number | null;
  readonly isOpen: boolean;
}

const COLUMNS = `task_id, round, uid, corr_id, event_id, sends, node, agent, eta_at, revised_eta_at, deadline_at, status, progress, note,
  their_task, sent_at, told_at, is_open`;

function toRow(tuple: Tuple): SentTask {
  return {
    taskId: tuple[0] as TaskName,
    round: tuple[1] as number,
    uid: tuple[2] as string,
    corrId: tuple[3] as string,
    eventId: tuple[4] as string | null,
    sends: tuple[5] as number,
    node: tuple[6] as string | null,
    agent: tuple[7] as string | null,
    etaAt: tuple[8] as number | null,
    revisedEtaAt: tuple[9] as number | null,
    deadlineAt: tuple[10] as number | null,
    status: tuple[11] as string | null,
    progress: tuple[12] as number | null,
    note: tuple[13] as string | null,
    theirTask: tuple[14] as string | null,
    sentAt: tuple[15] as number | null,
    toldAt: tuple[16] as number | null,
    isOpen: tuple[17] === 1,
  };
}

/** The news of the other node, before there is one. */
export const NOT_TAKEN = {
  node: null,
  agent: null,
  etaAt: null,
  revisedEtaAt: null,
  status: null,
  progress: null,
  note: null,
  theirTask: null,
} as const satisfies Partial<SentTask>;

export interface TaskToSend extends Pick<SentTask, 'round' | 'deadlineAt'> {
  readonly task: Pick<Task, 'id' | 'uid'>;
}

/** A round of a task that waits to be sent. */
export function insertSentTask(tx: Tx, { task, round, deadlineAt }: TaskToSend): void {
  const corrId = `corr_${tx.moment.ids.ulid()}`;
  const row = { taskId: task.id, round, uid: task.uid, corrId, eventId: null, sends: 0, deadlineAt, ...NOT_TAKEN };
  upsertSentTask(tx, { ...row, sentAt: null, toldAt: null, isOpen: true });
}

export function upsertSentTask(tx: Tx, row: SentTask): void {
  tx.write(
    `INSERT OR REPLACE INTO sent_tasks (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.taskId,
    row.round,
    row.uid,
    row.corrId,
    row.eventId,
    row.sends,
    row.node,
    row.agent,
    row.etaAt,
    row.revisedEtaAt,
    row.deadlineAt,
    row.status,
    row.progress,
    row.note,
    row.theirTask,
    row.sentAt,
    row.toldAt,
    row.isOpen ? 1 : 0,
  );
  tx.touched.add(row.taskId);
}

export function closeSentTask(tx: Tx, { taskId, round }: Pick<SentTask, 'taskId' | 'round'>): void {
  tx.write('UPDATE sent_tasks SET is_open = 0 WHERE task_id = ? AND round = ?', taskId, round);
}

/** The newest round of a task that was sent; null for a task that never was. */
export function selectSentTask(tx: Reader, taskId: string): SentTask | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM sent_tasks WHERE task_id = ? ORDER BY round DESC LIMIT 1`, taskId);
  return tuple ? toRow(tuple) : null;
}

/** The newest round of a task by its name on the wire. */
export function selectSentByUid(tx: Reader, uid: string): SentTask | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM sent_tasks WHERE uid = ? ORDER BY round DESC LIMIT 1`, uid);
  return tuple ? toRow(tuple) : null;
}

const SELECT_OPEN = `SELECT sent_tasks.task_id FROM sent_tasks INDEXED BY sent_tasks_open JOIN tasks ON tasks.id = sent_tasks.task_id
  WHERE is_open = 1 AND tasks.status <> 'backlog' LIMIT ?`;
const SELECT_READY = `SELECT id FROM tasks WHERE status = 'ready' AND agent IS NULL
  AND EXISTS (SELECT 1 FROM sent_tasks WHERE task_id = tasks.id) LIMIT ?`;

/** Tasks that other nodes run or are to run, also those that are ready for another round. */
export function selectSentTasks(tx: Reader, limit: number): TaskName[] {
  const rows = [...tx.tuples(SELECT_OPEN, limit), ...tx.tuples(SELECT_READY, limit)];
  return [...new Set(rows.map(([taskId]) => taskId as TaskName))];
}

/** The last rounds of tasks that a node has accepted, newest first. */
export function selectTakenBy(tx: Reader, node: string, limit: number): Pick<SentTask, 'taskId' | 'round'>[] {
  const sql = 'SELECT task_id, round FROM sent_tasks WHERE node = ? ORDER BY sent_at DESC LIMIT ?';
  return tx.tuples(sql, node, limit).map(([taskId, round]) => ({ taskId: taskId as TaskName, round: round as number }));
}

/** Open tasks that another node has accepted. */
export function selectHeldTasks(tx: Reader): { readonly node: string; readonly taskId: TaskName }[] {
  const sql = 'SELECT node, task_id FROM sent_tasks INDEXED BY sent_tasks_open WHERE is_open = 1 AND node IS NOT NULL';
  return tx.tuples(sql).map(([node, taskId]) => ({ node: node as string, taskId: taskId as TaskName }));
}

/** Open tasks that were sent to an agent, by agent and node. */
export function countSentTo(tx: Reader): ReadonlyMap<string, number> {
  const sql = `SELECT coalesce(agent, ''), coalesce(node, ''), count(*) FROM sent_tasks INDEXED BY sent_tasks_open WHERE is_open = 1
    GROUP BY 1, 2`;
  return new Map(tx.tuples(sql).map(([agent, node, count]) => [`${agent} ${node}`, Number(count)]));
}
