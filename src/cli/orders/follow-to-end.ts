import type { TaskView } from '../../api/task-view.ts';
import type { OrderPlan } from '../../domain/order-request.ts';
import type { Answer, Call } from '../command.ts';
import { treeShows } from '../node/node-command.ts';
import type { RunUpdate } from '../output/run-text.ts';
import { askedBy, askFor, EXIT_OUT_OF_QUOTA, EXIT_PAUSED, exitCodeOf, pauseFor, quotaWaitOf } from './end-of-order.ts';
import { followCarried } from './follow-carried.ts';
import type { Following } from './follow-order.ts';
import type { CarryingNode } from './serve-run.ts';
import { endingOf, showUpdates } from './show-updates.ts';
import { attendRun } from './terminal-answers.ts';
import { waitForOthers } from './wait-for-others.ts';

const EXIT_REFUSED = 2;

type Wait = Parameters<typeof pauseFor>[2];

/** An order to be shown. Its plan is null for a task that had one before, or was shown already. */
export interface Followed {
  readonly task: TaskView;
  readonly plan: OrderPlan | null;
  readonly isPlanShown: boolean;
  /** It waits for this already. */
  readonly quota?: Wait | null;
  readonly from?: Pick<Following, 'after' | 'printed' | 'roundBefore'>;
}

/** Shows an order until its report. Ctrl-C stops the order; a second Ctrl-C exits at once. */
export function followToEnd(
  call: Call,
  node: CarryingNode,
  { task, plan, isPlanShown, quota = null, from = { after: 0 } }: Followed,
): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  let isNodeStopped = false;
  const attended = attendRun(call, client, task.id);
  async function* seen(): AsyncGenerator<RunUpdate> {
    yield isPlanShown || plan === null ? { kind: 'taken', task } : { kind: 'plan', plan, task: task.id };
    const pause = (wait: Wait): RunUpdate => {
      exitCode = EXIT_OUT_OF_QUOTA;
      return pauseFor(call, task.id, wait);
    };
    if (quota !== null && node.isOurs) return yield pause(quota);
    for await (const update of followCarried(call, node, { task: task.id, ...from })) {
      if (update.kind === 'report') exitCode = exitCodeOf(update.report);
      isNodeStopped = update.kind === 'refusal' && update.refusal.code === 'node_stopped';
      if (isNodeStopped) exitCode = EXIT_PAUSED;
      const message = update.kind === 'event' ? update.message : null;
      if (call.flags.events && message) yield { kind: 'message', message };
      const wait = update.kind === 'event' ? quotaWaitOf(update.event) : null;
      // Nobody would wait once this process, which is the node, has exited.
      if (wait !== null && node.isOurs) return yield pause(wait);
      const asked = update.kind === 'event' ? askedBy(update.event) : null;
      if (asked !== null) exitCode = EXIT_PAUSED;
      if (asked !== null) return yield askFor(call, task.id, asked);
      yield update.kind === 'report' ? { kind: 'report', ...(await endingOf(call, client, update.report)) } : update;
      // The person reads what is asked before the prompt appears.
      if (update.kind === 'event') attended.take(update.event);
    }
  }
  return {
    ...showUpdates(call, seen()),
    exitCode: () => exitCode,
    isWork: true,
    finish: async () => {
      attended.close();
      if (!isNodeStopped) await treeShows(client, [task.id]);
      if (node.isOurs) await waitForOthers(client, task.id);
      await node.close();
      return null;
    },
  };
}
