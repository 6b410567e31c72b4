import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTestLedger, suiteScratch } from '../test-ledger.ts';
import { TestOpenTree } from './test-open-tree.ts';
import { filesBelow, TestTree } from './test-tree.ts';

const PROGRAM = fileURLToPath(new URL('play-open-tree.ts', import.meta.url));

/** Each step of the mirror, and of a commit, with the how-manieth time it is got to. */
export const OPEN_TREE_POINTS: readonly [string, readonly number[]][] = [
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

export function playUntilKilled(
  folder: string,
  what: 'play' | 'hand',
  crash: string,
): { isKilled: boolean; done: string[] } {
  const env = { ...process.env, BATON_CRASH: crash };
  const { signal, status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, folder, what], { env });
  assert.ok(signal === 'SIGKILL' || status === 0, String(stderr));
  return { isKilled: signal === 'SIGKILL', done: String(stdout).split('\n').slice(0, -1) };
}

/** The files that a rebuild of the same ledger writes into an empty folder. */
export async function rebuilt(tree: TestOpenTree): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(suiteScratch(), 'rebuilt-'));
  tree.life.at.ledger.database.prepare('VACUUM INTO ?').run(join(folder, 'ledger.sqlite'));
  const other = new TestTree(openTestLedger(folder));
  await other.mirror.rebuild();
  await other.mirror.stop();
  return filesBelow(folder);
}

/** Kills a node at a point; the next one heals the tree and takes nothing for a person's edit. */
export async function assertHeals(point: string, count: number): Promise<void> {
  const folder = mkdtempSync(join(suiteScratch(), 'killed-'));
  assert.ok(playUntilKilled(folder, 'play', `${point}:${count}`).isKilled, 'it never got there');
  const tree = TestOpenTree.started(openTestLedger(folder));
  await tree.look();
  await tree.look();
  assert.deepEqual(
    tree.happened().filter((each) => /^tree\.|by filesystem$|^incident/.test(each)),
    [],
  );
  assert.deepEqual(filesBelow(folder), await rebuilt(tree));
  await tree.stop();
}
