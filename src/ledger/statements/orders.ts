import type { TaskName } from '../../domain/task.ts';
import type { Reader, Tuple, Tx } from '../tx.ts';

/** How the order is carried out, beside what the message says. */
export interface OrderSettings {
  readonly checks: readonly string[];
  /** Went on as v1, after its schema failed. */
  readonly isFallback: boolean;
  /** The work is done in a worktree, whether or not the workspace is free. */
  readonly wantsWorktree: boolean;
  /** Hosts beside those that the configuration allows. */
  readonly hosts: readonly string[];
}

/** What an agent is told to do: an AOP TASK, and the round of the task that it is for. */
export interface StoredOrder {
  readonly taskId: TaskName;
  readonly round: number;
  readonly sessionId: string;
  readonly senderTaskId: string;
  /** The TASK, as JSON. */
  readonly message: string;
  readonly settings: OrderSettings;
  readonly at: number;
  /** Not reported yet. */
  readonly isOpen: boolean;
}

const COLUMNS = 'task_id, round, session_id, sender_task_id, message, settings, at, is_open';

function toOrder([taskId, round, sessionId, senderTaskId, message, settings, at, isOpen]: Tuple): StoredOrder {
  return {
    taskId: taskId as TaskName,
    round: round as number,
    sessionId: sessionId as string,
    senderTaskId: senderTaskId as string,
    message: message as string,
    settings: JSON.parse(settings as string) as OrderSettings,
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

export function insertOrder(tx: Tx, order: StoredOrder): void {
  if (order.isOpen) openOrders(tx).add(order.taskId);
  tx.write(
    `INSERT INTO orders (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    order.taskId,
    order.round,
    order.sessionId,
    order.senderTaskId,
    order.message,
    JSON.stringify(order.settings),
    order.at,
    order.isOpen ? 1 : 0,
  );
}

/** The newest round of a task; null where nobody was ever told to do it. */
export function selectOrder(tx: Reader, taskId: string): StoredOrder | null {
  const tuple = tx.tuple(`SELECT ${COLUMNS} FROM orders WHERE task_id = ? ORDER BY round DESC LIMIT 1`, taskId);
  return tuple ? toOrder(tuple) : null;
}

export function closeOrder(tx: Tx, { taskId, round }: Pick<StoredOrder, 'taskId' | 'round'>): void {
  openOrders(tx).delete(taskId);
  tx.write('UPDATE orders SET is_open = 0 WHERE task_id = ? AND round = ?', taskId, round);
}

const OPEN = 'SELECT task_id FROM orders JOIN tasks ON tasks.id = orders.task_id WHERE is_open = 1';
const SELECT_OPEN = `${OPEN} AND status NOT IN ('ready', 'backlog')
  UNION ALL ${OPEN} AND status IN ('ready', 'backlog') LIMIT ?`;

/** Tasks with an order that is not reported yet; those that are under way before those that wait their turn. */
export function selectOpenOrders(tx: Reader, limit: number): TaskName[] {
  return tx.tuples(SELECT_OPEN, limit).map(([id]) => id as TaskName);
}

/** Tasks of a session whose orders are not reported yet. */
export function selectSessionOrders(tx: Reader, sessionId: string): TaskName[] {
  const sql = 'SELECT task_id FROM orders WHERE is_open = 1 AND session_id = ? ORDER BY task_id';
  return tx.tuples(sql, sessionId).map(([id]) => id as TaskName);
}

/** The newest task that was ordered by this name (D-G9). */
export function selectOrderedTask(tx: Reader, sessionId: string, senderTaskId: string): TaskName | null {
  const sql = `SELECT task_id FROM orders WHERE session_id = ? AND sender_task_id = ? ORDER BY at DESC, task_id DESC LIMIT 1`;
  return (tx.tuple(sql, sessionId, senderTaskId)?.[0] ?? null) as TaskName | null;
}
