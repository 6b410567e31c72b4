import type { OrderReport } from '../../api/order-contract.ts';
import type { TaskView } from '../../api/task-view.ts';
import type { OrderPlan } from '../../domain/order-request.ts';
import type { Answer, Call } from '../command.ts';
import { treeShows } from '../node/node-command.ts';
import type { RunUpdate } from '../output/run-text.ts';
import { type Following, followOrder } from './follow-order.ts';
import type { CarryingNode } from './serve-run.ts';
import { endingOf, showUpdates } from './show-updates.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { waitForOthers } from './wait-for-others.ts';

const EXIT_REFUSED = 2;
const EXIT_STOPPED = 130;

/** An order to be shown. Its plan is null for a task that had one before, or was shown already. */
export interface Followed {
  readonly task: TaskView;
  readonly plan: OrderPlan | null;
  readonly isPlanShown: boolean;
  readonly from?: Pick<Following, 'after' | 'printed' | 'roundBefore'>;
}

/** Shows an order until its report. Ctrl-C stops the order; a second Ctrl-C exits at once. */
export function followToEnd(
  call: Call,
  node: CarryingNode,
  { task, plan, isPlanShown, from = { after: 0 } }: Followed,
): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  const forgetSignals = stopOnSignal(task.id, () => void client.stopOrder({ task: task.id }));
  async function* seen(): AsyncGenerator<RunUpdate> {
    yield isPlanShown || plan === null ? { kind: 'taken', task } : { kind: 'plan', plan, task: task.id };
    for await (const update of followOrder({ client, task: task.id, timer: node.timer, ...from })) {
      if (update.kind === 'report') exitCode = exitCodeOf(update.report);
      const message = update.kind === 'event' ? update.message : null;
      if (call.flags.events && message) yield { kind: 'message', message };
      yield update.kind === 'report' ? { kind: 'report', ...(await endingOf(call, client, update.report)) } : update;
    }
  }
  return {
    ...showUpdates(call, seen()),
    exitCode: () => exitCode,
    isWork: true,
    finish: async () => {
      forgetSignals();
      await treeShows(client, [task.id]);
      if (node.isOurs) await waitForOthers(client, task.id);
      await node.close();
      return null;
    },
  };
}

/** 0 SUCCESS · 1 FAILURE · 3 PARTIAL_SUCCESS or unchecked · 4 ABORTED · 130 stopped by the operator. */
export function exitCodeOf({ signal, isStopped }: Pick<OrderReport, 'signal' | 'isStopped'>): number {
  if (isStopped) return EXIT_STOPPED;
  switch (signal) {
    case 'SUCCESS':
      return 0;
    case 'PARTIAL_SUCCESS':
      return 3;
    case 'ABORTED':
      return 4;
    default:
      return 1;
  }
}
