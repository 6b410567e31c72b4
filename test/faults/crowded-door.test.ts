import { join } from 'node:path';
import { test } from 'node:test';
import { crowdDoor } from '../support/crowd-door.ts';
import { scratchFolder } from '../support/data-folder.ts';

const scratch = scratchFolder('crowded');

for (const manner of ['silent', 'slow-headers', 'slow-body'] as const) {
  test(`ten thousand ${manner} connections are shown out, and keep nobody with a token out`, async (context) => {
    const crowded = await crowdDoor(join(scratch, manner), { sockets: 10_000, manner, untilGone: true });
    context.diagnostic(JSON.stringify(crowded));
  });
}
