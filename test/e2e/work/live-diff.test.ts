import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RunStage, taskFor, until } from '../../support/run-stage.ts';
import { taken } from '../../support/taken.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('live-diff');
const client = stage.daemon?.client ?? assert.fail();

test('the work of a running task is shown as its last turn left it: in the overview, in the diff, in the event', {
  skip: noBubblewrap,
  timeout: 120_000,
}, async () => {
  const { root } = stage.repository();
  const objective = 'echo one > made.txt; echo two >> made.txt';
  const run = stage.start(taskFor('works-in-turns', root, { task: { objective } }));
  const now = async () => taken(await client.overview()).running[0];
  await until(async () => (await now())?.size?.files === 1);
  const shown = (await now()) ?? assert.fail();
  assert.deepEqual(shown.size, { files: 1, added: 2, removed: 0 });
  const diff = taken(await client.diffWork({ task: shown.id }));
  assert.match(diff.text, /\+one\n\+two/);
  const { events } = taken(await client.listEvents({ task: shown.id, type: 'workspace.recorded' }));
  assert.deepEqual(events[0]?.payload.paths, ['made.txt']);
  mkdirSync(join(root, '.git/seen'));
  writeFileSync(join(root, '.git/seen/0'), '');
  await run.ended;
});
