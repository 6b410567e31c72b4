import type { TaskName } from '../../domain/task.ts';
import type { Reader } from '../tx.ts';

/** The running task that holds a resource. */
export function selectResourceHolder(tx: Reader, resource: string): TaskName | null {
  const row = tx.one("SELECT id FROM tasks WHERE resource = ? AND status = 'in-progress' LIMIT 1", resource);
  return (row?.id ?? null) as TaskName | null;
}
