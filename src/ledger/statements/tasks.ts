import { PRIORITIES, type Priority, type Task, type TaskName, type TaskUid } from '../../domain/task/task.ts';
import { isTerminal, TASK_STATUSES, type TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { WorkState } from '../../domain/work/work-state.ts';
import type { NewRow, RowUpdate } from '../pending-rows.ts';
import { type Reader, type Tuple, Tx } from '../tx.ts';

/** In the order that `toTask` reads them. */
export const TASK_COLUMNS = `id, uid, title, status, priority, agent, role, team, tags, resource, parent_id, depends_on,
  body, metadata, sla, created_at, updated_at, last_transition_at, created_by, run_id, fence, revision, reclaims, head_hash,
  session_id, work`;

export function toTask(tuple: Tuple): Task {
  const metadata = tuple[13] as string;
  const sla = tuple[14] as string | null;
  return {
    id: tuple[0] as TaskName,
    uid: tuple[1] as TaskUid,
    title: tuple[2] as string,
    status: tuple[3] as TaskStatus,
    priority: PRIORITIES[tuple[4] as number] as Priority,
    routing: {
      agent: tuple[5] as string | null,
      role: tuple[6] as string | null,
      team: tuple[7] as string | null,
      tags: list(tuple[8] as string) as string[],
    },
    resource: tuple[9] as string | null,
    parentId: tuple[10] as TaskName | null,
    dependsOn: list(tuple[11] as string) as TaskName[],
    body: tuple[12] as string,
    metadata: metadata === '{}' ? {} : (JSON.parse(metadata) as Record<string, unknown>),
    sla: sla === null ? null : JSON.parse(sla),
    createdAt: tuple[15] as number,
    updatedAt: tuple[16] as number,
    lastTransitionAt: tuple[17] as number,
    createdBy: tuple[18] as string,
    runId: tuple[19] as string | null,
    fence: tuple[20] as number,
    revision: tuple[21] as number,
    reclaims: tuple[22] as number,
    headHash: tuple[23] as string | null,
    sessionId: tuple[24] as string | null,
    work: tuple[25] as WorkState | null,
  };
}

function list(json: string): unknown[] {
  return json === '[]' ? [] : (JSON.parse(json) as unknown[]);
}

const TASK: NewRow = {
  table: 'tasks',
  into: `INSERT INTO tasks (id, uid, title, status, priority, agent, role, team, tags, resource, parent_id,
    depends_on, open_dependencies, body, metadata, sla, created_at, updated_at, last_transition_at, created_by, run_id,
    fence, revision, reclaims, due_at, head_hash, session_id) VALUES`,
  row: '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 0, 1, 0, NULL, NULL, ?)',
};

export function insertTask(tx: Tx, task: Task, openDependencies: number): void {
  tx.insert(
    TASK,
    task.id,
    task.uid,
    task.title,
    task.status,
    PRIORITIES.indexOf(task.priority),
    task.routing.agent,
    task.routing.role,
    task.routing.team,
    JSON.stringify(task.routing.tags),
    task.resource,
    task.parentId,
    JSON.stringify(task.dependsOn),
    openDependencies,
    task.body,
    JSON.stringify(task.metadata),
    task.sla === null ? null : JSON.stringify(task.sla),
    task.createdAt,
    task.updatedAt,
    task.lastTransitionAt,
    task.createdBy,
    task.sessionId,
  );
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}

const TASK_STATUS: RowUpdate = {
  table: 'tasks',
  sql: `UPDATE tasks SET status = ?, run_id = ?, fence = ?, reclaims = ?, revision = ?, updated_at = ?,
    last_transition_at = ? WHERE id = ?`,
};

/** For a task that moved: its status and the run that holds it. */
export function updateTaskStatus(tx: Tx, task: Task): void {
  const { status, runId, fence, reclaims, revision, updatedAt, lastTransitionAt } = task;
  tx.update(TASK_STATUS, status, runId, fence, reclaims, revision, updatedAt, lastTransitionAt, task.id);
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}

const UPDATE_TASK_FIELDS = `UPDATE tasks SET title = ?, priority = ?, agent = ?, role = ?, team = ?, tags = ?, resource = ?,
  parent_id = ?, depends_on = ?, open_dependencies = ?, body = ?, metadata = ?, sla = ?, revision = ?, updated_at = ?
  WHERE id = ?`;

/** For a task that was edited: the fields that people and agents write. */
export function updateTaskFields(tx: Tx, task: Task, openDependencies: number): void {
  tx.write(
    UPDATE_TASK_FIELDS,
    task.title,
    PRIORITIES.indexOf(task.priority),
    task.routing.agent,
    task.routing.role,
    task.routing.team,
    JSON.stringify(task.routing.tags),
    task.resource,
    task.parentId,
    JSON.stringify(task.dependsOn),
    openDependencies,
    task.body,
    JSON.stringify(task.metadata),
    task.sla === null ? null : JSON.stringify(task.sla),
    task.revision,
    task.updatedAt,
    task.id,
  );
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}

const UPDATE_TASK_BODY = 'UPDATE tasks SET body = ?, revision = ?, updated_at = ? WHERE id = ?';

export function updateTaskBody(tx: Tx, task: Task): void {
  tx.write(UPDATE_TASK_BODY, task.body, task.revision, task.updatedAt, task.id);
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}

/** For a task with a new order: its session, and the state of its work. */
export function updateTaskOrder(tx: Tx, task: Task): void {
  tx.write('UPDATE tasks SET session_id = ?, work = ? WHERE id = ?', task.sessionId, task.work, task.id);
  tx.rows.keepTask(task);
}

/** For a task whose git state was recorded (saop:git-hash). */
export function updateTaskHead(tx: Tx, task: Task): void {
  tx.write('UPDATE tasks SET head_hash = ? WHERE id = ?', task.headHash, task.id);
  tx.rows.keepTask(task);
}

/** For a task that waits for its next attempt: its agent, and the earliest instant to start. */
export function updateTaskDue(tx: Tx, task: Task, dueAt: number | null): void {
  tx.write('UPDATE tasks SET agent = ?, due_at = ? WHERE id = ?', task.routing.agent, dueAt, task.id);
  tx.rows.keepTask(task);
  tx.touched.add(task.id);
}

// Built once: prepared statements are found by their text, and a new string would have to be hashed for each call.
const SELECT_TASK = `SELECT ${TASK_COLUMNS} FROM tasks WHERE id = ?`;
const SELECT_TASK_BY_UID = `SELECT ${TASK_COLUMNS} FROM tasks WHERE uid = ?`;

export function selectTask(tx: Reader, id: string): Task | null {
  const known = tx instanceof Tx ? tx.rows.task(id) : undefined;
  if (known) return known;
  const tuple = tx.tuple(SELECT_TASK, id);
  const task = tuple ? toTask(tuple) : null;
  if (task && tx instanceof Tx) tx.rows.keepTask(task);
  return task;
}

export function selectTaskByUid(tx: Reader, uid: string): Task | null {
  const tuple = tx.tuple(SELECT_TASK_BY_UID, uid);
  return tuple ? toTask(tuple) : null;
}

export function hasTask(tx: Reader, id: string): boolean {
  return tx.tuple('SELECT 1 FROM tasks WHERE id = ?', id) !== undefined;
}

export function selectTaskStatus(tx: Reader, id: string): TaskStatus | null {
  return (tx.tuple('SELECT status FROM tasks WHERE id = ?', id)?.[0] ?? null) as TaskStatus | null;
}

/** Counts the named tasks that are not done. */
export function countOpen(tx: Reader, ids: readonly TaskName[]): number {
  let open = 0;
  for (const id of ids) if (tx.one('SELECT status FROM tasks WHERE id = ?', id)?.status !== 'done') open++;
  return open;
}

export function selectNewest(tx: Reader): Task | null {
  const tuple = tx.tuple(`SELECT ${TASK_COLUMNS} FROM tasks ORDER BY number DESC LIMIT 1`);
  return tuple ? toTask(tuple) : null;
}

/** The newest task whose name ends in this number. */
export function selectNewestNumbered(tx: Reader, number: string): Task | null {
  const tuple = tx.tuple(
    `SELECT ${TASK_COLUMNS} FROM tasks WHERE id LIKE 'TASK-%-' || ? ORDER BY number DESC LIMIT 1`,
    number,
  );
  return tuple ? toTask(tuple) : null;
}

/** Tasks whose title contains all the words, newest first. */
export function selectTitled(tx: Reader, words: string, limit: number): Task[] {
  const { where, values } = titledBy(words);
  return tx
    .tuples(`SELECT ${TASK_COLUMNS} FROM tasks WHERE ${where} ORDER BY number DESC LIMIT ?`, ...values, limit)
    .map(toTask);
}

/** A condition that holds for titles with all the words. */
function titledBy(words: string): { readonly where: string; readonly values: readonly string[] } {
  const parts = words.split(/\s+/).filter((word) => word !== '');
  const where = parts.map(() => "title LIKE '%' || ? || '%' ESCAPE '\\'").join(' AND ');
  return { where, values: parts.map((word) => word.replaceAll(/[\\%_]/g, '\\$&')) };
}

export interface TaskFilter {
  readonly status: TaskStatus | null;
  readonly agent: string | null;
  /** Only those that are routed to no agent. */
  readonly isUnassigned?: boolean;
  readonly parentId: string | null;
  /** Excludes done and cancelled. */
  readonly openOnly: boolean;
  /** Words of the title; empty for any. */
  readonly words: string;
}

export interface TaskPageBounds {
  /** The row number to continue after, in the order of the page; null to begin. */
  readonly after: number | null;
  readonly isNewestFirst: boolean;
  readonly limit: number;
}

/** One page; the caller continues after the last number. */
export function selectTaskPage(tx: Reader, filter: TaskFilter, { after, isNewestFirst, limit }: TaskPageBounds) {
  const { where, values } = titledBy(filter.words);
  const conditions: (readonly [sql: string, values: readonly (string | number | null)[]])[] = [
    [isNewestFirst ? 'number < ?' : 'number > ?', [after]],
    ['status = ?', [filter.status]],
    ['agent = ?', [filter.agent]],
    ['agent IS NULL', filter.isUnassigned ? [] : [null]],
    ['parent_id = ?', [filter.parentId]],
    ["status NOT IN ('done', 'cancelled')", filter.openOnly ? [] : [null]],
    [where, values.length === 0 ? [null] : values],
  ];
  const asked = conditions.filter(([, given]) => !given.includes(null));
  const all = asked.length === 0 ? '' : `WHERE ${asked.map(([sql]) => sql).join(' AND ')}`;
  const sql = `SELECT ${TASK_COLUMNS}, number FROM tasks ${all} ORDER BY number ${isNewestFirst ? 'DESC' : ''} LIMIT ?`;
  const tuples = tx.tuples(sql, ...asked.flatMap(([, given]) => given), limit);
  return tuples.map((tuple) => ({ number: tuple.at(-1) as number, task: toTask(tuple) }));
}

export function countByStatus(tx: Reader): Partial<Record<TaskStatus, number>> {
  // Counted in an index: the rows are not read.
  const rows = tx.all('SELECT status, count(*) AS tasks FROM tasks GROUP BY status');
  return Object.fromEntries(rows.map((row) => [row.status, row.tasks]));
}

/** Open tasks of one status, most urgent first. */
export function selectByUrgency(tx: Reader, status: TaskStatus, limit: number): Task[] {
  const sql = `SELECT ${TASK_COLUMNS} FROM tasks WHERE status = ?
    ORDER BY priority, number LIMIT ?`;
  return tx.tuples(sql, status, limit).map(toTask);
}

// Listed one by one, so that the index skips ended tasks.
const OPEN = TASK_STATUSES.filter((status) => !isTerminal(status)).map((status) => `'${status}'`);
const COUNT_OPEN = `SELECT count(*) FROM (SELECT 1 FROM tasks WHERE status IN (${OPEN.join(', ')}) LIMIT ?)`;

/** Counts no further than `max`. */
export function countOpenTasks(tx: Reader, max: number): number {
  return Number(tx.tuple(COUNT_OPEN, max)?.[0] ?? 0);
}

export function selectChildren(tx: Reader, parentId: TaskName): TaskName[] {
  return tx.tuples('SELECT id FROM tasks WHERE parent_id = ?', parentId).map(([id]) => id as TaskName);
}

/** The running task that holds a resource. */
export function selectResourceHolder(tx: Reader, resource: string): TaskName | null {
  const row = tx.one("SELECT id FROM tasks WHERE resource = ? AND status = 'in-progress' LIMIT 1", resource);
  return (row?.id ?? null) as TaskName | null;
}
