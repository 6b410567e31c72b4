import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { DiffAnswer } from '../../../src/api/order/order-contract.ts';
import { type BatonRun, runBaton } from '../../support/run-baton.ts';
import { orderRun } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

/** Calls Baton in a folder, with the data folder of that folder's repository. */
function batonIn(folder: string, ...args: string[]): Promise<BatonRun> {
  return runBaton(args, { folder, environment: { BATON_RUN: '', BATON_DATA: '' } });
}

async function runIn(folder: string, words: string, ...flags: string[]): Promise<string> {
  const ended = await batonIn(folder, 'run', words, '--agent', 'demo', '--yes', '--json', ...flags);
  assert.equal(ended.status, 3, ended.stdout + ended.stderr);
  return orderRun(ended).own.task;
}

function read(folder: string, name: string): string | null {
  return existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null;
}

describe('undo', { concurrency: 2, skip: noBubblewrap }, () => {
  test("a person's own files stay, and what overlaps is saved with the command that brings it back", async () => {
    const { root } = new TestRepository();
    mkdirSync(join(root, 'empty'));
    const words = '@demo write work.txt hello\n@demo append readme.md more\n@demo write empty/a x\n@demo write new/a x';
    const task = await runIn(root, words);
    writeFileSync(join(root, 'mine.txt'), 'mine\n');
    writeFileSync(join(root, 'work.txt'), 'mine now\n');
    const refused = await batonIn(root, 'undo', task);
    assert.equal(refused.status, 2, refused.stdout);
    assert.match(refused.stderr, /a file of the run was changed since/);
    assert.match(refused.stderr, new RegExp(`^try: baton undo ${task} --keep `, 'm'));
    assert.match(refused.stderr, /work\.txt/);
    assert.doesNotMatch(refused.stderr, /mine\.txt/);
    const kept = await batonIn(root, 'undo', task, '--keep');
    assert.equal(kept.status, 0, kept.stderr);
    assert.ok(kept.stdout.includes(` in ${root}\n`), kept.stdout);
    assert.deepEqual([read(root, 'work.txt'), read(root, 'mine.txt')], [null, 'mine\n']);
    assert.equal(read(root, 'readme.md'), 'one\ntwo\nthree\n');
    assert.deepEqual([existsSync(join(root, 'empty')), existsSync(join(root, 'new'))], [true, false]);
    assert.match((await batonIn(root, 'clean')).stdout, /^removed the saved work of 0 tasks/);
    const command = /to bring them back:\n {2}(.*)$/m.exec(kept.stdout)?.[1] ?? '';
    execFileSync('sh', ['-c', command], { cwd: '/' });
    assert.deepEqual([read(root, 'work.txt'), read(root, 'readme.md')], ['mine now\n', 'one\ntwo\nthree\n']);
  });

  test('edits between two rounds stay, and both rounds are undone', async () => {
    const { root } = new TestRepository();
    const task = await runIn(root, '@demo append work.txt hello\n@demo append readme.md more', '--review');
    writeFileSync(join(root, 'mine.txt'), 'mine\n');
    writeFileSync(join(root, 'readme.md'), 'ONE\ntwo\nthree\nmore\n');
    const again = await batonIn(root, 'continue', task, '--yes');
    assert.equal(again.status, 3, again.stderr);
    assert.deepEqual(
      [read(root, 'work.txt'), read(root, 'readme.md')],
      ['hello\nhello\n', 'ONE\ntwo\nthree\nmore\nmore\n'],
    );
    const { stdout } = await batonIn(root, 'diff', task, '--json');
    const { files, text } = JSON.parse(stdout) as DiffAnswer;
    const sizes = files.map(({ path, added, removed }) => [path, added, removed]);
    assert.deepEqual(sizes, [
      ['readme.md', 2, 0],
      ['work.txt', 2, 0],
    ]);
    assert.doesNotMatch(text, /^[-+](ONE|one|mine)$/m);
    const undone = await batonIn(root, 'undo', task);
    assert.equal(undone.status, 0, undone.stderr);
    assert.deepEqual([read(root, 'work.txt'), read(root, 'readme.md')], [null, 'ONE\ntwo\nthree\n']);
    assert.equal(read(root, 'mine.txt'), 'mine\n');
  });

  test('an undo is undone by apply, and apply again has nothing to do', async () => {
    const { root } = new TestRepository();
    const task = await runIn(root, '@demo write work.txt hello');
    const undone = await batonIn(root, 'undo', task);
    assert.match(undone.stderr, new RegExp(`^next: baton apply ${task}  bring the work back$`, 'm'));
    assert.equal(read(root, 'work.txt'), null);
    assert.equal((await batonIn(root, 'apply', task)).status, 0);
    assert.equal(read(root, 'work.txt'), 'hello\n');
    const again = await batonIn(root, 'apply', task);
    assert.match(again.stderr, /they have it already/);
    assert.equal((await batonIn(root, 'undo', task)).status, 0);
    assert.equal(read(root, 'work.txt'), null);
  });

  test('in a copy of a repository the copy is undone, and the original is not touched', async () => {
    const { root } = new TestRepository();
    const inPlace = await runIn(root, '@demo write work.txt hello');
    const beside = await runIn(root, '@demo write beside.txt hello', '--worktree');
    const copy = join(dirname(root), 'copy');
    cpSync(root, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    assert.equal((await batonIn(copy, 'init', '--trust')).status, 0);
    assert.match((await batonIn(copy, 'diff', inPlace)).stdout, /^\+hello$/m);
    const undone = await batonIn(copy, 'undo', inPlace);
    assert.equal(undone.status, 0, undone.stderr);
    assert.deepEqual([read(copy, 'work.txt'), read(root, 'work.txt')], [null, 'hello\n']);
    const applied = await batonIn(copy, 'apply', beside);
    assert.equal(applied.status, 0, applied.stderr);
    assert.deepEqual([read(copy, 'beside.txt'), read(root, 'beside.txt')], ['hello\n', null]);
    assert.equal((await batonIn(copy, 'discard', beside)).status, 0);
    assert.ok(existsSync(join(root, '.baton/worktrees', `${beside}-1`)), 'the worktree of the original is there');
  });

  test('a repository that was moved with its data folder is undone where it is', async () => {
    const { root } = new TestRepository();
    const task = await runIn(root, '@demo write work.txt hello');
    const moved = join(dirname(root), 'moved');
    renameSync(root, moved);
    assert.equal((await batonIn(moved, 'init', '--trust')).status, 0);
    const undone = await batonIn(moved, 'undo', task);
    assert.equal(undone.status, 0, undone.stderr);
    assert.ok(undone.stdout.includes(` in ${moved}\n`), undone.stdout);
    assert.equal(read(moved, 'work.txt'), null);
  });

  test('a data folder in another repository refuses, and a workspace that is gone can still be seen', async () => {
    const { root, dataFolder } = new TestRepository();
    const other = new TestRepository({ isEmpty: true });
    other.write('else.md', 'another repository\n');
    other.commit('something else');
    const task = await runIn(root, '@demo write work.txt hello');
    cpSync(join(root, '.baton'), join(other.root, '.baton'), { recursive: true });
    assert.equal((await batonIn(other.root, 'init', '--trust')).status, 0);
    const refused = await batonIn(other.root, 'undo', task);
    assert.equal(refused.status, 2, refused.stdout);
    assert.match(refused.stderr, /no longer belongs to that repository\ntry: /);
    assert.equal(read(root, 'work.txt'), 'hello\n');
    const apart = await runIn(root, '@demo write apart.txt hello', '--data', dataFolder);
    rmSync(root, { recursive: true });
    for (const verb of ['undo', 'apply', 'verify']) {
      const gone = await batonIn('/', verb, apart, '--data', dataFolder);
      assert.equal(gone.status, 2, gone.stdout);
      assert.match(gone.stderr, /where the task was done, is gone\ntry: bring /);
    }
    assert.match((await batonIn('/', 'diff', apart, '--data', dataFolder)).stdout, /^\+hello$/m);
  });
});
