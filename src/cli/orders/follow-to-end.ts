import type { OrderAnswer } from '../../api/order-contract.ts';
import { onStopSignal } from '../../platform/stop-signals.ts';
import { systemTimer } from '../../platform/timer.ts';
import type { Answer, Call } from '../command.ts';
import { printWarning } from '../output/print.ts';
import type { Seen } from '../output/sight-text.ts';
import { treeShows } from '../tree-shows.ts';
import type { CarryingNode } from './carrying-node.ts';
import { endingOf } from './ending-of.ts';
import { exitCodeOf } from './exit-code.ts';
import { followOrder } from './follow-order.ts';
import { showSights } from './show-sights.ts';
import { waitForOthers } from './wait-for-others.ts';

const EXIT_STOPPED = 130;
const EXIT_REFUSED = 2;

/** Shows an order until it is reported; Ctrl-C stops it, and once more leaves at once. */
export function followToEnd(
  call: Call,
  node: CarryingNode,
  { task, plan, isPlanShown }: OrderAnswer & { readonly isPlanShown: boolean },
): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  const forgetSignals = onStopSignal(stopOnce(task.id, () => void client.stopOrder(task.id)));
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

function stopOnce(task: string, stop: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) leave(task);
    isAsked = true;
    printWarning(`stopping ${task}; Ctrl-C again leaves at once`);
    stop();
  };
}

/** What this process started ends with it. The last word on the order is left to the next node. */
function leave(task: string): never {
  printWarning(`left ${task} as it is; baton stop ${task} says the last word on it`);
  process.exit(EXIT_STOPPED);
}
