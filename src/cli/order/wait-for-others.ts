import type { NodeClient } from '../../api/node-client.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { systemTimer } from '../../platform/timer.ts';
import { printWarning } from '../output/print.ts';

const LOOK_MS = 500;

/** A command that is the node waits for the runs that other commands gave it, and says so. */
export async function waitForOthers(client: NodeClient, own: string): Promise<void> {
  let isTold = false;
  for (;;) {
    const status = await client.status();
    if (isRefusal(status)) return;
    const others = status.running.filter(
      ({ id, agent, run }) => id !== own && agent !== null && run?.isCarried && !run.isInterrupted,
    );
    if (others.length === 0) return;
    if (!isTold)
      printWarning(`still running ${others.map(({ id }) => id).join(', ')} for other commands; Ctrl-C abandons them`);
    isTold = true;
    await systemTimer().pause(LOOK_MS);
  }
}
