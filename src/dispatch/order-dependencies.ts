import { type Refusal, refuse } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import { selectOrderedTask } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import type { TaskMessage } from '../protocols/aop/schema/task.ts';

const POINTER = '/task/extensions/x_depends_on';
const COMPLETED: readonly TaskStatus[] = ['done', 'review'];
const FAILED: readonly TaskStatus[] = ['blocked', 'cancelled', 'deadletter'];

/** decisions §1, Sessions: the tasks of its session that an order waits for; what failed is not waited for. */
export function dependenciesOf(ledger: Reader | null, { session, task }: TaskMessage): readonly TaskName[] | Refusal {
  const named: unknown = task.extensions?.x_depends_on ?? [];
  if (!Array.isArray(named)) return refuse('E_SCHEMA_VALIDATION', 'x_depends_on is a list of task_ids', POINTER);
  const waitsFor: TaskName[] = [];
  for (const [at, id] of named.entries()) {
    const pointer = `${POINTER}/${at}`;
    const needed = ledger === null || typeof id !== 'string' ? null : selectOrderedTask(ledger, session.session_id, id);
    const status = needed === null || ledger === null ? undefined : selectTask(ledger, needed)?.status;
    if (id === task.task_id) return refuse('E_SCHEMA_VALIDATION', `${id} cannot wait for itself`, pointer);
    if (needed === null || status === undefined) {
      return refuse(
        'E_SCHEMA_VALIDATION',
        `${String(id)} is no task of ${session.session_id} that is known here`,
        pointer,
      );
    }
    if (FAILED.includes(status)) {
      return refuse('E_DEPENDENCY_FAILED', `${needed}, which it depends on, is ${status}`, pointer);
    }
    if (!COMPLETED.includes(status)) waitsFor.push(needed);
  }
  return waitsFor;
}
