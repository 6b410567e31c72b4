import type { RestoredFile, RollbackTrigger } from '../../domain/execution/fact.ts';
import type { Order } from '../../domain/order.ts';
import type { RollbackInitiatedEvent } from '../../protocols/aop/schema/events.ts';

export interface Rollback {
  readonly order: Order;
  readonly trigger: RollbackTrigger;
  readonly files: readonly RestoredFile[];
  readonly atMs: number;
}

/** AOP §7: which files were put back, and from where. */
export function rollbackMessage({ order, trigger, files, atMs }: Rollback): RollbackInitiatedEvent {
  return {
    aop_version: '2.0.2-C',
    message_type: 'EVENT',
    event: 'ROLLBACK_INITIATED',
    session_id: order.sessionId,
    task_id: order.taskId,
    timestamp: new Date(atMs).toISOString(),
    trigger,
    artifacts_rolled_back: files.map(({ path, restoredFrom, status }) => ({
      path,
      restored_from: restoredFrom,
      status,
    })),
  };
}
