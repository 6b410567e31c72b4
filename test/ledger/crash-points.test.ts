import assert from 'node:assert/strict';
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CRASH_POINTS, declaredCrashPoints, killAt } from '../support/ledger/crash-points.ts';
import { KilledFolder } from '../support/ledger/kill-lives.ts';
import { suiteScratch } from '../support/test-ledger.ts';

// Asked for before any test runs, so that it goes after the last of them and not after the first.
suiteScratch();

test('every place where src lets itself be killed is killed here', () => {
  assert.deepEqual(declaredCrashPoints(), Object.keys(CRASH_POINTS).toSorted());
});

for (const [name, { counts }] of Object.entries(CRASH_POINTS)) {
  for (const count of counts) {
    test(`killed at ${name}, time ${count}, nothing answered is lost and the tree heals`, async () => {
      const folder = new KilledFolder();
      assert.ok(await killAt(folder, name, count), 'it never got there');
      assert.deepEqual(await folder.findings(), []);
      assert.deepEqual(await folder.treeFindings(), []);
    });
  }
}

test('a torn line at the end of the event files is repaired at the next start', async () => {
  const folder = new KilledFolder();
  await folder.play({ seed: 1 });
  const [day = ''] = readdirSync(join(folder.folder, 'events'));
  appendFileSync(join(folder.folder, 'events', day), '{"eventId":999,"type":"task.cre');
  await folder.play({ seed: 2 });
  assert.deepEqual(await folder.findings(), []);
  const torn = (await folder.treeFindings()).filter((finding) => !/events\/.*(torn|rejected)/.test(finding));
  assert.deepEqual(torn, []);
});
