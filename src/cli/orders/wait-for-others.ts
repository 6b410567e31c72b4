import type { NodeClient } from '../../api/contract.ts';
import { systemTimer } from '../../platform/timer.ts';
import { printWarning } from '../output/print.ts';

const LOOK_MS = 500;

/** A command that is the node stays until the runs of others that it carries have ended, and says so. */
export async function waitForOthers(client: NodeClient, own: string): Promise<void> {
  let isTold = false;
  for (;;) {
    const { running } = await client.status();
    const others = running.filter(({ id, agent, run }) => id !== own && agent !== null && run?.isCarried === true);
    if (others.length === 0) return;
    if (!isTold) printWarning(`still carrying ${others.map(({ id }) => id).join(', ')} for others; Ctrl-C leaves them`);
    isTold = true;
    await systemTimer().pause(LOOK_MS);
  }
}
