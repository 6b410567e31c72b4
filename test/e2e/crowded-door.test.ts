import { join } from 'node:path';
import { test } from 'node:test';
import { crowdDoor } from '../support/crowd-door.ts';
import { scratchFolder } from '../support/data-folder.ts';

const scratch = scratchFolder('crowded');

test('fifteen hundred connections that say nothing keep nobody with a token out, and cost little', async () => {
  await crowdDoor(join(scratch, 'silent'), { sockets: 1_500, manner: 'silent', untilGone: false });
});
