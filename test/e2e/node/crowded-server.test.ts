import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../support/data-folder.ts';
import { crowdServer } from '../../support/node/crowd-server.ts';

const scratch = scratchFolder('crowded');

test('fifteen hundred connections that say nothing keep nobody with a token out, and cost little', async () => {
  await crowdServer(join(scratch, 'silent'), { sockets: 1_500, manner: 'silent', untilGone: false });
});
