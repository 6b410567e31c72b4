import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRASH_POINTS, killAt } from '../support/ledger/crash-points.ts';
import { KilledFolder } from '../support/ledger/kill-lives.ts';
import { suiteScratch } from '../support/test-ledger.ts';

suiteScratch();

const TIMES_MAX = 40;

for (const name of Object.keys(CRASH_POINTS)) {
  test(`killed at ${name}, each time it is got to, nothing answered is lost and the tree heals`, async (context) => {
    let times = 0;
    while (times < TIMES_MAX) {
      const folder = new KilledFolder();
      if (!(await killAt(folder, name, times + 1))) break;
      times++;
      assert.deepEqual([...(await folder.findings()), ...(await folder.treeFindings())], [], `time ${times}`);
    }
    context.diagnostic(`${times} times`);
    assert.ok(times > 0, 'it never got there');
  });
}
