import type { NodeClient } from '../../api/node-client.ts';
import type { OrderAnswer, OrderReport } from '../../api/order-contract.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { onStopSignal } from '../../platform/own-process.ts';
import { systemTimer } from '../../platform/timer.ts';
import type { Answer, Call } from '../command.ts';
import { treeShows } from '../node/node-command.ts';
import { printWarning } from '../output/print.ts';
import type { RunUpdate } from '../output/run-text.ts';
import { followOrder } from './follow-order.ts';
import type { CarryingNode } from './serve-run.ts';
import { endingOf, showUpdates } from './show-updates.ts';

const EXIT_REFUSED = 2;
const EXIT_STOPPED = 130;

/** Shows an order until its report. Ctrl-C stops the order; a second Ctrl-C exits at once. */
export function followToEnd(
  call: Call,
  node: CarryingNode,
  { task, plan, isPlanShown }: OrderAnswer & { readonly isPlanShown: boolean },
): Answer<unknown> {
  const { client } = node;
  let exitCode = EXIT_REFUSED;
  const forgetSignals = stopOnSignal(task.id, () => void client.stopOrder({ task: task.id }));
  async function* seen(): AsyncGenerator<RunUpdate> {
    yield isPlanShown ? { kind: 'taken', task } : { kind: 'plan', plan, task: task.id };
    for await (const update of followOrder({ client, task: task.id, timer: node.timer, after: 0 })) {
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

/** Ctrl-C stops the run of a task; a second Ctrl-C exits at once. Returns a function that removes the handler. */
function stopOnSignal(task: string, stop: () => void): () => void {
  let isAsked = false;
  return onStopSignal(() => {
    if (isAsked) leave(task);
    isAsked = true;
    printWarning(`stopping ${task}; press Ctrl-C again to exit at once`);
    stop();
  });
}

/** Child processes end with this one. The next command records what they left, and settles the order. */
function leave(task: string): never {
  printWarning(`${task} was ended at once; its work so far stays in the files: baton task show ${task}`);
  process.exit(EXIT_STOPPED);
}

const LOOK_MS = 500;

/** A command that is the node waits for the runs that other commands gave it, and says so. */
async function waitForOthers(client: NodeClient, own: string): Promise<void> {
  let isTold = false;
  for (;;) {
    const status = await client.status();
    if (isRefusal(status)) return;
    const others = status.running.filter(
      ({ id, agent, run }) => id !== own && agent !== null && run?.isCarried === true,
    );
    if (others.length === 0) return;
    if (!isTold)
      printWarning(`still running ${others.map(({ id }) => id).join(', ')} for other commands; Ctrl-C abandons them`);
    isTold = true;
    await systemTimer().pause(LOOK_MS);
  }
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
