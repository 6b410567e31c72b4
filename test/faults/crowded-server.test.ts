import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../support/data-folder.ts';
import { crowdServer } from '../support/node/crowd-server.ts';

const scratch = scratchFolder('crowded');

for (const manner of ['silent', 'slow-headers', 'slow-body'] as const) {
  test(`ten thousand ${manner} connections are shown out, and keep nobody with a token out`, async (context) => {
    const crowded = await crowdServer(join(scratch, manner), { sockets: 10_000, manner, untilGone: true });
    context.diagnostic(JSON.stringify(crowded));
  });
}
