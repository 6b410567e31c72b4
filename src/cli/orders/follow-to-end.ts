import type { OrderAnswer } from '../../api/order-contract.ts';
import { systemTimer } from '../../platform/timer.ts';
import type { Answer, Call } from '../command.ts';
import type { Seen } from '../output/sight-text.ts';
import { treeShows } from '../tree-shows.ts';
import type { CarryingNode } from './carrying-node.ts';
import { endingOf } from './ending-of.ts';
import { exitCodeOf } from './exit-code.ts';
import { followOrder } from './follow-order.ts';
import { showSights } from './show-sights.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { waitForOthers } from './wait-for-others.ts';

const EXIT_REFUSED = 2;

/** Shows an order until it is reported; Ctrl-C stops it, and once more leaves at once. */
export function followToEnd(
  call: Call,
  node: CarryingNode,
  { task, plan, isPlanShown }: OrderAnswer & { readonly isPlanShown: boolean },
): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  const forgetSignals = stopOnSignal(task.id, () => void client.stopOrder(task.id));
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
