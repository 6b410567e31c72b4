import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openTestLedger, suiteScratch, type TestLedger } from '../../test/support/test-ledger.ts';
import { TestOpenTree } from '../../test/support/test-open-tree.ts';
import { filesBelow, TestTree } from '../../test/support/test-tree.ts';

const PROGRAM = fileURLToPath(new URL('../../test/support/play-open-tree.ts', import.meta.url));

/** Each step of the mirror, and of a commit, with the how-manieth time it is got to. */
const POINTS: readonly [string, readonly number[]][] = [
  ['commit.before', [6, 11]],
  ['commit.after', [5, 9, 13]],
  ['mirror.intents-recorded', [1, 2, 4]],
  ['mirror.temp-written', [1, 6, 12]],
  ['mirror.file-written', [1, 5, 11]],
  ['mirror.renamed', [1, 2, 3]],
  ['mirror.folder-renamed', [1]],
  ['mirror.events-appended', [1, 3]],
  ['mirror.settled', [1, 2, 5]],
];

function run(folder: string, what: 'play' | 'hand', crash: string): { isKilled: boolean; done: string[] } {
  const env = { ...process.env, BATON_CRASH: crash };
  const { signal, status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, folder, what], { env });
  assert.ok(signal === 'SIGKILL' || status === 0, String(stderr));
  return { isKilled: signal === 'SIGKILL', done: String(stdout).split('\n').slice(0, -1) };
}

/** The files that a rebuild of the same ledger writes into an empty folder. */
async function rebuilt(tree: TestOpenTree): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(suiteScratch(), 'rebuilt-'));
  tree.life.at.ledger.database.prepare('VACUUM INTO ?').run(join(folder, 'ledger.sqlite'));
  const other = new TestTree(openTestLedger(folder));
  await other.mirror.rebuild();
  await other.mirror.stop();
  return filesBelow(folder);
}

for (const [point, counts] of POINTS) {
  for (const count of counts) {
    test(`killed at ${point}, time ${count}, the tree heals, and nobody is taken to have done anything`, async () => {
      const folder = mkdtempSync(join(suiteScratch(), 'killed-'));
      assert.ok(run(folder, 'play', `${point}:${count}`).isKilled, 'it never got there');
      const tree = TestOpenTree.started(openTestLedger(folder));
      await tree.look();
      await tree.look();
      assert.deepEqual(
        tree.happened().filter((each) => /^tree\.|by filesystem$|^incident/.test(each)),
        [],
      );
      assert.deepEqual(filesBelow(folder), await rebuilt(tree));
      await tree.stop();
    });
  }
}

/** The ids of tests are counted: those of the process that died are not to come again. */
function reopened(folder: string): TestLedger {
  const at = openTestLedger(folder);
  for (let used = 0; used < 1_000; used++) at.ids.ulid();
  return at;
}

const HAND_EVENTS: Readonly<Record<string, string>> = {
  edited: 'task.edited by filesystem',
  moved: 'task.transitioned by filesystem',
  added: 'task.created by filesystem',
};

test('killed anywhere, each thing that was done by hand took effect once', async () => {
  let killed = 0;
  for (const point of ['commit.before', 'commit.after', 'mirror.file-written', 'mirror.settled', 'mirror.removed']) {
    for (const count of point.startsWith('commit') ? [11, 12, 13, 15] : [1, 5]) {
      const folder = mkdtempSync(join(suiteScratch(), 'killed-'));
      const { isKilled, done } = run(folder, 'hand', `${point}:${count}`);
      if (isKilled) killed++;
      const tree = TestOpenTree.started(reopened(folder));
      await tree.look();
      const byHand = tree.happened().filter((each) => each.endsWith('by filesystem'));
      const at = `${point}:${count}`;
      assert.deepEqual(byHand.sort(), done.map((each) => HAND_EVENTS[each]).sort(), at);
      assert.deepEqual(tree.incidents(), [], at);
      assert.deepEqual(filesBelow(folder), await rebuilt(tree), at);
      await tree.stop();
    }
  }
  assert.ok(killed >= 10, `killed ${killed} times`);
});
