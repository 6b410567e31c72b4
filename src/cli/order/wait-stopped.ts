import type { NodeClient } from '../../api/node-client.ts';
import type { OrderReport } from '../../api/order/order-contract.ts';
import type { TaskView } from '../../api/task/task-view.ts';
import { STOP_WAIT_MS_MAX } from '../../domain/limits.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { systemClock } from '../../platform/clock.ts';
import { systemTimer } from '../../platform/timer.ts';
import { printAside } from '../output/print.ts';

/** A task that was asked to stop. */
export interface Stopping extends TaskView {
  /** Its order is over; false if it has not ended within ten seconds. */
  readonly isStopped: boolean;
}

export interface StopEnd {
  readonly task: Stopping;
  /** Null until it is stopped. */
  readonly report: OrderReport | null;
}

const LOOK_MS = 50;
/** A stop that takes longer is told. */
const TELL_AFTER_MS = 1_000;

/** Waits until orders are over, for ten seconds in all, and says on stderr what it waits for. */
export async function waitStopped(client: NodeClient, tasks: readonly TaskView[]): Promise<readonly StopEnd[]> {
  const clock = systemClock();
  const startedMs = clock.now().monotonicMs;
  const waitedMs = () => clock.now().monotonicMs - startedMs;
  const ends: StopEnd[] = [];
  let isTold = false;
  for (const task of tasks) {
    for (let end = await endOf(client, task); ; end = await endOf(client, task)) {
      if (end.task.isStopped || waitedMs() > STOP_WAIT_MS_MAX) {
        ends.push(end);
        break;
      }
      if (!isTold && waitedMs() > TELL_AFTER_MS) {
        isTold = true;
        printAside(`stopping ${tasks.map(({ id }) => id).join(', ')}: waiting for the agent to end`);
      }
      await systemTimer().pause(LOOK_MS);
    }
  }
  return ends;
}

async function endOf(client: NodeClient, task: TaskView): Promise<StopEnd> {
  const report = await client.orderReport({ task: task.id });
  if (isRefusal(report)) return { task: { ...task, isStopped: false }, report: null };
  return { task: { ...report.task, isStopped: report.isOver }, report: report.isOver ? report : null };
}
