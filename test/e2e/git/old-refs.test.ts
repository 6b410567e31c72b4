import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type BatonRun, ROOT, runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { testFolder } from '../../support/test-repository.ts';

/**
 * A repository with its data folder, made by the command line of commit 1f2be41, which wrote refs into the repository: 001 was
 * done in place and committed, 002 in a worktree and applied, 003 waits in a worktree.
 */
const OLD = join(ROOT, 'test/fixtures/workspace/refs-in-repository.tgz');
const task = (number: number) => `TASK-2026-11-16-00${number}`;

function batonIn(folder: string, ...args: string[]): Promise<BatonRun> {
  return runBaton(args, { folder, environment: { BATON_RUN: '', BATON_DATA: '' } });
}

describe('a repository of a version that wrote refs into it', { skip: noBubblewrap }, () => {
  test('its runs are shown, applied and undone, and its refs are gone', async () => {
    const folder = testFolder();
    execFileSync('tar', ['xzf', OLD, '--no-same-owner'], { cwd: folder });
    const root = join(folder, 'shop');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
    assert.equal(git('for-each-ref', 'refs/baton').split('\n').length, 9);
    assert.equal((await batonIn(root, 'init', '--trust')).status, 0);
    const applied = await batonIn(root, 'apply', task(3));
    assert.equal(applied.status, 0, applied.stderr);
    assert.equal(readFileSync(join(root, 'third.txt'), 'utf8'), 'hello\n');
    assert.equal(git('for-each-ref', '--format=%(refname)'), 'refs/heads/main');
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '-q', '--prune=now');
    for (const [number, file] of [
      [3, 'third.txt'],
      [2, 'second.txt'],
      [1, 'first.txt'],
    ] as const) {
      assert.match((await batonIn(root, 'diff', task(number))).stdout, /^\+hello$/m);
      const undone = await batonIn(root, 'undo', task(number));
      assert.equal(undone.status, 0, undone.stdout + undone.stderr);
      assert.equal(existsSync(join(root, file)), false);
    }
    assert.equal(git('status', '--porcelain'), 'D first.txt');
  });
});
