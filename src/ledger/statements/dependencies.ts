import type { Task, TaskName } from '../../domain/task/task.ts';
import type { Reader, Tx } from '../tx.ts';
import { TASK_COLUMNS, toTask } from './tasks.ts';

export function insertDependency(tx: Tx, task: TaskName, needs: TaskName): void {
  tx.write('INSERT OR IGNORE INTO dependencies (needs, task_id) VALUES (?, ?)', needs, task);
}

export function deleteDependency(tx: Tx, task: TaskName, needs: TaskName): void {
  tx.write('DELETE FROM dependencies WHERE needs = ? AND task_id = ?', needs, task);
}

export function selectDependents(tx: Reader, needs: TaskName): Task[] {
  const sql = `SELECT ${TASK_COLUMNS} FROM tasks WHERE id IN (SELECT task_id FROM dependencies WHERE needs = ?)`;
  return tx.tuples(sql, needs).map(toTask);
}

/** Counts down the open dependencies of the tasks that depend on this one. */
export function closeDependency(tx: Tx, done: TaskName): void {
  if (tx.tuple('SELECT 1 FROM dependencies WHERE needs = ? LIMIT 1', done) === undefined) return;
  tx.write(
    'UPDATE tasks SET open_dependencies = open_dependencies - 1 WHERE id IN (SELECT task_id FROM dependencies WHERE needs = ?)',
    done,
  );
}

/** Counts up the open dependencies of the tasks that depend on this one, which is not done any more. */
export function reopenDependency(tx: Tx, undone: TaskName): void {
  tx.write(
    'UPDATE tasks SET open_dependencies = open_dependencies + 1 WHERE id IN (SELECT task_id FROM dependencies WHERE needs = ?)',
    undone,
  );
}

const ORDERS_OF_SESSION = `SELECT task_id FROM dependencies WHERE needs = ?1 AND task_id IN (
  SELECT id FROM tasks WHERE session_id = (SELECT session_id FROM tasks WHERE id = ?1)
  AND EXISTS (SELECT 1 FROM orders WHERE orders.task_id = tasks.id AND is_open = 1))`;

/**
 * aop:dependencies: an order of the same session waits until the task is COMPLETED, any other task until it is done. The
 * dependency is removed, so that `done` does not count it again.
 */
export function releaseOrders(tx: Tx, completed: TaskName): void {
  if (tx.tuple('SELECT 1 FROM dependencies WHERE needs = ? LIMIT 1', completed) === undefined) return;
  for (const [task] of tx.tuples(ORDERS_OF_SESSION, completed)) {
    deleteDependency(tx, task as TaskName, completed);
    tx.write('UPDATE tasks SET open_dependencies = open_dependencies - 1 WHERE id = ?', task as TaskName);
  }
}

/** The tasks that a task waits for: it depends on them, they are not done, and nothing released it from them. */
export function selectAwaited(tx: Reader, { id, dependsOn }: Pick<Task, 'id' | 'dependsOn'>): readonly TaskName[] {
  const sql =
    "SELECT 1 FROM dependencies JOIN tasks ON id = needs WHERE needs = ? AND task_id = ? AND status <> 'done'";
  return dependsOn.filter((needs) => tx.tuple(sql, needs, id) !== undefined);
}

export function openDependencies(tx: Reader, task: TaskName): number {
  return Number(tx.tuple('SELECT open_dependencies FROM tasks WHERE id = ?', task)?.[0] ?? 0);
}
