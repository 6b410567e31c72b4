import { assertNever } from '../assert-never.ts';
import type { TaskStatus } from './task-lifecycle.ts';

/** Whether a task that another one depends on still holds that one up. */
export type DependencyState = 'met' | 'open' | 'failed';

export interface NeededTask {
  readonly status: TaskStatus;
  /** Its last order ended as failed or aborted. */
  readonly hasFailed: boolean;
}

/**
 * aop:dependencies: an order opens once a task of its own session is completed, in review or done; every other task waits
 * until it is done. A task that is blocked for any other reason than a failure may still be done.
 */
export function judgeDependency({ status, hasFailed }: NeededTask, isOfSession: boolean): DependencyState {
  switch (status) {
    case 'done':
      return 'met';
    case 'review':
      return isOfSession ? 'met' : 'open';
    case 'cancelled':
    case 'deadletter':
      return 'failed';
    case 'blocked':
      return hasFailed ? 'failed' : 'open';
    case 'backlog':
    case 'ready':
    case 'in-progress':
      return 'open';
    default:
      return assertNever(status);
  }
}
