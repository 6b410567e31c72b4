import { ORDER_FAULT_PAUSE_MS, ORDER_FAULTS_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import type { Timer } from '../platform/timer.ts';
import type { OrderRunner } from './order-runner.ts';

export interface DriveParts {
  readonly runner: OrderRunner;
  readonly timer: Timer;
  readonly log: Logger;
  isClosing(): boolean;
}

/** Retries faults of git or the disk; after ORDER_FAULTS_MAX the order fails. */
export async function driveOrFail({ runner, timer, log, isClosing }: DriveParts, taskId: TaskName): Promise<void> {
  for (let faults = 1; ; faults++) {
    try {
      return await runner.drive(taskId);
    } catch (error) {
      log.log('order.failed', { task: taskId, faults, ...faultFacts(error) });
      if (isClosing()) return;
      if (faults >= ORDER_FAULTS_MAX || isPermanent(error)) return await giveUp({ runner, log }, taskId, error);
    }
    await timer.pause(ORDER_FAULT_PAUSE_MS * faults);
  }
}

/** Whether the fault says that a retry cannot succeed. */
function isPermanent(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === false;
}

/** Fails the order. If the failure cannot be written either, the next tick tries again. */
async function giveUp(
  { runner, log }: Pick<DriveParts, 'runner' | 'log'>,
  taskId: TaskName,
  cause: unknown,
): Promise<void> {
  try {
    await runner.fail(taskId, cause, isPermanent(cause));
  } catch (error) {
    log.log('order.failed', { task: taskId, ...faultFacts(error) });
  }
}
