import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { linesOf } from '../../support/run-baton.ts';
import { orderRun, RunStage } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('receipt-of-task');

interface Verified {
  readonly verdict: string;
  readonly signer: string;
  readonly signerName: string | null;
  readonly staleFiles: readonly string[] | null;
}

async function verified(data: RunStage['data'], ...args: string[]): Promise<readonly [number | null, Verified]> {
  const run = await data.run(['receipt', 'verify', ...args, '--json']);
  return [run.status, linesOf<Verified>(run)[0] as Verified];
}

async function done(root: string, ...flags: string[]): Promise<string> {
  const args = ['run', '@demo write a.txt a', '--agent', 'demo', '--workspace', root, '--json'];
  const { own } = orderRun(await stage.data.run([...args, '--check', 'test -f a.txt', ...flags]));
  return own.task;
}

test('a task, @ and the file say the same: whose key, and whether the files still match', {
  skip: noBubblewrap,
}, async () => {
  const repository = stage.repository();
  const task = await done(repository.root);
  const file = join(stage.data.path, 'runs', task, 'receipt.json');
  for (const named of [task, '@', '@demo write', file]) {
    const [exit, { verdict, signer, staleFiles }] = await verified(stage.data, named);
    assert.deepEqual([exit, verdict, signer, staleFiles], [0, 'valid', 'this-node', []], named);
  }
  appendFileSync(join(repository.root, 'a.txt'), 'mine\n');
  for (const named of [task, file]) {
    const [exit, { verdict, staleFiles }] = await verified(stage.data, named);
    assert.deepEqual([exit, verdict, staleFiles], [3, 'stale', ['a.txt']], named);
  }
  const human = await stage.data.run(['receipt', 'verify', task]);
  assert.match(human.stdout, /^stale: TASK-.*\n(.*\n)* {2}files {4}1 of \d+ changed since they were checked: a\.txt\n/);
  assert.match(human.stdout, / {2}signed {3}by this node\n/);
  assert.match(human.stderr, new RegExp(`^next: baton verify ${task} `));
});

test('after an undo the files are not as they were checked, whichever way the receipt is named', {
  skip: noBubblewrap,
}, async () => {
  const task = await done(stage.repository().root);
  const undone = await stage.data.run(['undo', task]);
  assert.equal(undone.status, 0, undone.stderr);
  for (const named of [task, join(stage.data.path, 'runs', task, 'receipt.json')]) {
    const [exit, { verdict, staleFiles }] = await verified(stage.data, named);
    assert.deepEqual([exit, verdict, staleFiles], [3, 'stale', ['a.txt']], named);
  }
});

test('work in a worktree is compared there', { skip: noBubblewrap }, async () => {
  const repository = stage.repository();
  const task = await done(repository.root, '--worktree');
  const [exit, { verdict, staleFiles }] = await verified(stage.data, task);
  assert.deepEqual([exit, verdict, staleFiles], [0, 'valid', []]);
});

test('a receipt of another data folder is known, and stays its own when the key is lost', {
  skip: noBubblewrap,
}, async () => {
  const task = await done(stage.repository().root);
  const file = join(stage.data.path, 'runs', task, 'receipt.json');
  const other = await RunStage.alone('receipt-of-other');
  const [exit, { signer, signerName }] = await verified(other.data, file);
  assert.deepEqual([exit, signer, signerName], [0, 'known', stage.data.path]);
  const key = readFileSync(join(stage.data.path, 'node.key'));
  rmSync(join(stage.data.path, 'node.key'));
  assert.equal((await verified(stage.data, file))[1].signer, 'this-node');
  writeFileSync(join(stage.data.path, 'node.key'), key, { mode: 0o600 });
  const copy = join(other.folder, 'receipt.json');
  cpSync(file, copy);
  writeFileSync(copy, readFileSync(copy, 'utf8').replace('"SUCCESS"', '"FAILURE"'));
  assert.equal((await verified(stage.data, copy))[0], 1);
});

test('a task without a receipt is told so', async () => {
  const { id } = await stage.data.newTask('by hand');
  const run = await stage.data.run(['receipt', 'verify', id]);
  assert.equal(run.status, 2);
  assert.match(run.stderr, /^error: .*TASK-/);
  assert.match(run.stderr, /^try: /m);
  const none = await stage.data.run(['receipt', 'verify', 'no such task']);
  assert.equal(none.status, 2);
  assert.match(none.stderr, /there is no task "no such task"/);
});
