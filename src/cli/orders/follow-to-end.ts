import type { NodeClient } from '../../api/node-client.ts';
import type { OrderAnswer, OrderReport } from '../../api/order-contract.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { onStopSignal } from '../../platform/own-process.ts';
import { systemTimer } from '../../platform/timer.ts';
import type { Answer, Call } from '../command.ts';
import { treeShows } from '../node-command.ts';
import { printWarning } from '../output/print.ts';
import type { Seen } from '../output/sight-text.ts';
import { followOrder } from './follow-order.ts';
import type { CarryingNode } from './serve-run.ts';
import { endingOf, showSights } from './show-sights.ts';

const EXIT_REFUSED = 2;
const EXIT_STOPPED = 130;

/** Shows an order until it is reported; Ctrl-C stops it, and once more leaves at once. */
export function followToEnd(
  call: Call,
  node: CarryingNode,
  { task, plan, isPlanShown }: OrderAnswer & { readonly isPlanShown: boolean },
): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  const forgetSignals = stopOnSignal(task.id, () => void client.stopOrder({ task: task.id }));
  async function* seen(): AsyncGenerator<Seen> {
    yield isPlanShown ? { kind: 'taken', task } : { kind: 'plan', plan, task: task.id };
    for await (const sight of followOrder({ client, task: task.id, timer: systemTimer(), after: 0 })) {
      if (sight.kind === 'report') exitCode = exitCodeOf(sight.report);
      const message = sight.kind === 'event' ? sight.event.payload.message : undefined;
      // Of other events it is a sentence.
      if (call.flags.events && typeof message === 'object' && message !== null) yield { kind: 'message', message };
      yield sight.kind === 'report' ? { kind: 'report', ...(await endingOf(call, client, sight.report)) } : sight;
    }
  }
  return {
    ...showSights(call, seen()),
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

/** Ctrl-C stops a task's run in order, and once more leaves it at once. Answers with what lets signals be as they were. */
function stopOnSignal(task: string, stop: () => void): () => void {
  let isAsked = false;
  return onStopSignal(() => {
    if (isAsked) leave(task);
    isAsked = true;
    printWarning(`stopping ${task}; Ctrl-C again leaves at once`);
    stop();
  });
}

/** What this process started ends with it. The last word on the order is left to the next node. */
function leave(task: string): never {
  printWarning(`left ${task} as it is; baton stop ${task} says the last word on it`);
  process.exit(EXIT_STOPPED);
}

const LOOK_MS = 500;

/** A command that is the node stays until the runs of others that it carries have ended, and says so. */
async function waitForOthers(client: NodeClient, own: string): Promise<void> {
  let isTold = false;
  for (;;) {
    const status = await client.status();
    if (isRefusal(status)) return;
    const others = status.running.filter(
      ({ id, agent, run }) => id !== own && agent !== null && run?.isCarried === true,
    );
    if (others.length === 0) return;
    if (!isTold) printWarning(`still carrying ${others.map(({ id }) => id).join(', ')} for others; Ctrl-C leaves them`);
    isTold = true;
    await systemTimer().pause(LOOK_MS);
  }
}

/** product.md: 0 SUCCESS · 1 FAILURE · 3 PARTIAL_SUCCESS or unchecked · 4 ABORTED · 130 stopped by you. */
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
