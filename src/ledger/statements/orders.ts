import type { Provenance } from '../../domain/order/order.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { isWaiting, type TaskStatus } from '../../domain/task/task-lifecycle.ts';
import type { Reader, Tuple, Tx } from '../tx.ts';

/** One round of a task: an order from admission to report. The order itself is the first of the round's facts. */
export interface OrderRow {
  readonly taskId: TaskName;
  readonly round: number;
  readonly sessionId: string;
  readonly senderTaskId: string;
  readonly provenance: Provenance;
  readonly at: number;
  /** Not reported yet. */
  readonly isOpen: boolean;
}

const COLUMNS = 'task_id, round, session_id, sender_task_id, protocol, text, at, is_open';

function toOrder([taskId, round, sessionId, senderTaskId, protocol, text, at, isOpen]: Tuple): OrderRow {
  return {
    taskId: taskId as TaskName,
    round: round as number,
    sessionId: sessionId as string,
    senderTaskId: senderTaskId as string,
    provenance: protocol === null ? null : { protocol: protocol as string, text: text as string },
    at: at as number,
    isOpen: isOpen === 1,
  };
}

/** Whether the task has an order that is not reported yet. */
export function hasOpenOrder(tx: Tx, taskId: string): boolean {
  return openOrders(tx).has(taskId);
}

function openOrders(tx: Tx): Set<string> {
  return tx.rows.openOrders(() =>
    tx.tuples('SELECT task_id FROM orders WHERE is_open = 1').map(([taskId]) => taskId as string),
  );
}

/** An order of a task in this status. */
export function insertOrder(tx: Tx, order: OrderRow, status: TaskStatus): void {
  if (order.isOpen) openOrders(tx).add(order.taskId);
  tx.write(
    `INSERT INTO orders (${COLUMNS}, is_waiting) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    order.taskId,
    order.round,
    order.sessionId,
    order.senderTaskId,
    order.provenance?.protocol ?? null,
    order.provenance?.text ?? null,
    order.at,
    order.isOpen ? 1 : 0,
    isWaiting(status) ? 1 : 0,
  );
}

/** For a task that came to ready or backlog, or left them: the dispatcher continues orders that do not wait. */
export function markWaiting(tx: Tx, taskId: TaskName, status: TaskStatus): void {
  if (!hasOpenOrder(tx, taskId)) return;
  tx.write('UPDATE orders SET is_waiting = ? WHERE task_id = ? AND is_open = 1', isWaiting(status) ? 1 : 0, taskId);
}

/** The newest round of a task; null where nobody was ever told to do it. */
export function selectOrder(tx: Reader, taskId: string): OrderRow | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM orders WHERE task_id = ? ORDER BY round DESC LIMIT 1`, taskId);
  return tuple ? toOrder(tuple) : null;
}

export function closeOrder(tx: Tx, { taskId, round }: Pick<OrderRow, 'taskId' | 'round'>): void {
  openOrders(tx).delete(taskId);
  tx.write('UPDATE orders SET is_open = 0 WHERE task_id = ? AND round = ?', taskId, round);
}

const SELECT_UNDER_WAY = `SELECT task_id FROM orders INDEXED BY orders_under_way
  WHERE is_open = 1 AND is_waiting = 0 ORDER BY task_id LIMIT ?`;

/** Tasks with an order that is not reported yet and does not wait in ready or backlog. Those that wait add nothing to the cost. */
export function selectOrdersUnderWay(tx: Reader, limit: number): TaskName[] {
  return tx.tuples(SELECT_UNDER_WAY, limit).map(([id]) => id as TaskName);
}

/** A waiting order with a third fact has begun: its workplace is reserved, or it waits between two attempts. */
const SELECT_BEGUN = `SELECT task_id FROM orders INDEXED BY orders_open WHERE is_open = 1 AND (is_waiting = 0 OR EXISTS (
  SELECT 1 FROM run_facts WHERE run_facts.task_id = orders.task_id AND run_facts.round = orders.round AND number = 3))
  ORDER BY is_waiting LIMIT ?`;

/** Tasks with an open order that an earlier node has begun; those under way come first. */
export function selectBegunOrders(tx: Reader, limit: number): TaskName[] {
  return tx.tuples(SELECT_BEGUN, limit).map(([id]) => id as TaskName);
}

export function hasOpenOrders(tx: Reader): boolean {
  return tx.tuple('SELECT 1 FROM orders WHERE is_open = 1 LIMIT 1') !== undefined;
}

/** Runs that are looked at, newest first, besides the live ones. */
const RECENT_RUNS_MAX = 500;

const SELECT_OUTSIDE_SANDBOX = `SELECT 1 FROM run_facts
  WHERE task_id IN (SELECT task_id FROM runs WHERE status = 'running' UNION
    SELECT task_id FROM (SELECT task_id, ended_at FROM runs ORDER BY id DESC LIMIT ?) WHERE ended_at >= ?)
  AND round = (SELECT max(round) FROM orders WHERE orders.task_id = run_facts.task_id)
  AND json_extract(fact, '$.kind') = 'admitted' AND json_extract(fact, '$.sandbox') = 'none' LIMIT 1`;

/** Whether an agent of an order runs without a sandbox, or did at this time: it could write every file of the tree. */
export function hasRunOutsideSandbox(tx: Reader, atMs: number): boolean {
  return tx.tuple(SELECT_OUTSIDE_SANDBOX, RECENT_RUNS_MAX, Math.floor(atMs)) !== undefined;
}

/** Tasks of a session whose orders are not reported yet. */
export function selectSessionOrders(tx: Reader, sessionId: string): TaskName[] {
  const sql = 'SELECT task_id FROM orders WHERE is_open = 1 AND session_id = ? ORDER BY task_id';
  return tx.tuples(sql, sessionId).map(([id]) => id as TaskName);
}

/** The newest task that was ordered by this name (common:task-names). */
export function selectOrderedTask(tx: Reader, sessionId: string, senderTaskId: string): TaskName | null {
  const sql = `SELECT task_id FROM orders WHERE session_id = ? AND sender_task_id = ? ORDER BY at DESC, task_id DESC LIMIT 1`;
  return (tx.tuple(sql, sessionId, senderTaskId)?.[0] ?? null) as TaskName | null;
}

/** A row of schema 5, whose order is not among its facts yet. */
export interface UndecidedOrder extends Pick<OrderRow, 'taskId' | 'round' | 'at'> {
  readonly text: string;
  readonly settings: unknown;
}

export function selectTextOrders(tx: Reader, limit: number): UndecidedOrder[] {
  const sql = 'SELECT task_id, round, text, settings, at FROM orders WHERE settings IS NOT NULL LIMIT ?';
  return tx.tuples(sql, limit).map(([taskId, round, text, settings, at]) => ({
    taskId: taskId as TaskName,
    round: round as number,
    text: text as string,
    settings: JSON.parse(settings as string) as unknown,
    at: at as number,
  }));
}

export function markDecided(tx: Tx, { taskId, round }: Pick<OrderRow, 'taskId' | 'round'>): void {
  tx.write('UPDATE orders SET settings = NULL WHERE task_id = ? AND round = ?', taskId, round);
}
