import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesThere, LIVELY_SCRIPT, lively, travelled } from '../../test/support/remote/lively-work.ts';
import { MemoryBlobs } from '../../test/support/remote/memory-blobs.ts';
import { ParcelNode, ParcelStage } from '../../test/support/remote/parcel-stage.ts';
import { taken } from '../../test/support/taken.ts';
import { filesBelow, TestRepository, testFolder } from '../../test/support/test-repository.ts';
import { isRefusal } from '../domain/refusal.ts';

const stage = await ParcelStage.open();
const { client, ledger } = stage.sender.node;

test('work comes back to be looked at, applied and undone, byte for byte', async () => {
  const repository = lively();
  repository.write('theirs', 'dirty\n');
  const journey = await travelled(stage, repository);
  const { task } = journey;
  const mine = repository.fingerprint();
  const before = repository.files();
  const imported = await stage.back(journey);
  assert.ok(imported.isNew);
  assert.equal(imported.outcome.verdict, 'checked');
  assert.deepEqual(repository.fingerprint(), mine, 'an import changes nothing of the user');
  const diff = taken(await client.diffWork({ task }));
  const there = taken(await stage.receiver.node.client.diffWork({ task: journey.there }));
  assert.equal(diff.text, there.text);
  assert.ok(diff.files.length > 10);
  assert.ok(
    diff.ignored.some((sentence) => /empty folders?: empty-there/.test(sentence)),
    JSON.stringify(diff.ignored),
  );
  assert.ok(
    diff.git.some((sentence) => /2 commits by the agent/.test(sentence)),
    JSON.stringify(diff.git),
  );
  taken(await client.applyWork({ task }));
  assert.deepEqual(repository.files(), filesThere(journey));
  assert.equal(repository.git('rev-parse', 'HEAD'), journey.sent.baseCommit);
  taken(await client.undoWork({ task }));
  assert.deepEqual(repository.files(), before);
});

test('the work is branched with one commit, or with the commits of the agent', async () => {
  const repository = lively();
  const journey = await travelled(stage, repository);
  await stage.back(journey);
  const { task } = journey;
  taken(await client.applyWork({ task, branch: 'one' }));
  assert.equal(repository.git('rev-list', '--count', 'main..one'), '1');
  taken(await client.applyWork({ task, branch: 'all', commits: true }));
  assert.deepEqual(repository.git('log', '--format=%s', 'main..all').split('\n').slice(1), ['second', 'first']);
  assert.equal(repository.git('log', '-1', '--format=%an', 'all~1'), 'agent');
  for (const branch of ['one', 'all']) {
    const names = repository.git('ls-tree', '-r', '--name-only', branch).split('\n');
    assert.ok(names.includes('after-commit') && names.includes('was/inner') && !names.includes('gone'), branch);
  }
  assert.equal(repository.git('fsck', '--no-dangling', '--no-progress'), '');
});

test('it is verified, continued and discarded as work of a worktree here', async () => {
  const repository = lively();
  const journey = await travelled(stage, repository);
  await stage.back(journey);
  const { task } = journey;
  const verified = taken(await client.verifyWork({ task }));
  assert.ok(verified.isPassed, JSON.stringify(verified));
  const folder = taken(await client.orderReport({ task })).workplace?.folder ?? '';
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  assert.equal(git('log', '--format=%s').split('\n')[0], 'second');
  const discarded = taken(await client.discardWork({ task }));
  assert.ok(discarded.files.length > 10);
  assert.ok(!existsSync(folder));
  taken(await client.applyWork({ task }));
  assert.deepEqual(repository.files(), filesThere(journey));
});

test('a second import of the same result changes nothing, before and after the report', async () => {
  const repository = lively();
  const journey = await travelled(stage, repository);
  const first = taken(await stage.import(journey));
  const seq = () => taken(ledger.read.tuple('SELECT max(seq), (SELECT count(*) FROM run_facts) FROM events'));
  const before = seq();
  stage.blobs.gets = 0;
  const again = taken(await stage.import(journey));
  assert.deepEqual(again, { ...first, isNew: false });
  assert.deepEqual(seq(), before);
  assert.equal(stage.blobs.gets, 0);
  taken(await client.diffWork({ task: journey.task }));
  assert.deepEqual(taken(await stage.back(journey)), again);
  assert.equal(taken(await stage.import(journey)).isNew, false);
});

test('without git the inputs travel, and the work comes back, is applied and undone', async () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'src'));
  for (const [name, text] of Object.entries({ 'src/in.txt': 'in\n', 'keep [me]': 'k\n', 'not mine': 'n\n' })) {
    writeFileSync(join(folder, name), text);
  }
  const before = filesBelow(folder, '');
  const objective = 'test ! -e "not mine" && echo out > out.txt && echo more >> src/in.txt && rm "keep [me]"';
  const input = (path: string) => ({ type: 'FILE', path, description: path, read_only: false });
  const journey = await stage.there(folder, 'runs-a-script', {
    task: {
      objective,
      inputs: [input('src/in.txt'), input('keep [me]')],
      expected_outputs: [{ type: 'FILE', path: 'out.txt', description: 'it' }],
    },
  });
  assert.equal(journey.sent.kind, 'files');
  const { outcome } = await stage.back(journey);
  assert.equal(outcome.verdict, 'checked');
  const { task } = journey;
  const diff = taken(await client.diffWork({ task }));
  assert.deepEqual(
    diff.files.map(({ path }) => path),
    ['keep [me]', 'out.txt', 'src/in.txt'],
  );
  const branched = await client.applyWork({ task, branch: 'x' });
  assert.ok(isRefusal(branched) && /not in git/.test(branched.message), JSON.stringify(branched));
  taken(await client.applyWork({ task }));
  const { 'not mine': mine, ...after } = filesBelow(folder, '');
  assert.ok(mine);
  assert.deepEqual(Object.keys(after), ['out.txt', 'src/in.txt']);
  assert.equal(readFileSync(join(folder, 'src/in.txt'), 'utf8'), 'in\nmore\n');
  taken(await client.undoWork({ task }));
  assert.deepEqual(filesBelow(folder, ''), before);
  assert.ok(!existsSync(join(folder, '.git')));
});

test('work that a person changed meanwhile is merged, or refused by the names of the files', async () => {
  const repository = lively();
  const journey = await travelled(stage, repository);
  repository.write('mine', 'new\n');
  repository.write('moved', `mine\n${'line\n'.repeat(30)}`);
  await stage.back(journey);
  const { task } = journey;
  taken(await client.applyWork({ task }));
  assert.equal(repository.read('mine'), 'new\n');
  assert.equal(repository.read('elsewhere'), `mine\n${'line\n'.repeat(30)}`);
  taken(await client.undoWork({ task }));
  repository.write('readme.md', 'mine now\n');
  const refused = await client.applyWork({ task });
  assert.ok(isRefusal(refused) && refused.code === 'merge_conflict');
  assert.deepEqual(refused.details, ['readme.md']);
});

test('work of another node is none of the repository around the data folder', async () => {
  const around = new TestRepository();
  const receiver = await ParcelNode.open('inside', { dataFolder: join(around.root, '.baton') });
  const inside = new ParcelStage(stage.sender, receiver, new MemoryBlobs());
  const mine = around.fingerprint();
  const repository = lively();
  const journey = await inside.there(repository.root, 'runs-a-script', { task: { objective: LIVELY_SCRIPT } });
  assert.ok(journey.workspace.startsWith(around.root));
  await inside.back(journey);
  taken(await client.applyWork({ task: journey.task }));
  assert.deepEqual(repository.files(), filesThere(journey));
  const { head: _, ...left } = around.fingerprint();
  assert.equal(left['status'], mine['status']);
  await receiver.close();
});

test('it goes on here, and what nobody needs any more is cleaned up on both sides', async () => {
  const repository = lively();
  const journey = await travelled(stage, repository, `test -e after-commit && echo here > went-on\n${LIVELY_SCRIPT}`);
  await stage.back(journey);
  const { task } = journey;
  const { dataFolder } = stage.sender;
  await stage.sender.close();
  const here = await ParcelNode.open('laptop', { dataFolder });
  const more = { task, text: 'go on', agent: 'runs-a-script' };
  const later = taken(await here.node.client.continueTask(more)).task.id as typeof task;
  const report = await here.reported(later);
  assert.equal(report.receipt !== null, true);
  const receipt = JSON.parse(readFileSync(report.receipt?.file ?? '', 'utf8'));
  assert.equal(receipt.signer.publicKey, here.publicKey, 'the round here is signed here');
  taken(await here.node.client.applyWork({ task: later }));
  assert.equal(repository.read('went-on'), 'here\n');
  assert.equal(repository.read('after-commit'), 'more\n');
  const cleaned = taken(await here.node.client.clean({ olderThanDays: 0 }));
  assert.ok(cleaned.tasks.includes(task));
  assert.ok(!existsSync(join(dataFolder, 'worktrees', `${task}-1`)));
  const gone = await here.node.client.diffWork({ task });
  assert.ok(isRefusal(gone) && gone.code === 'work_removed');
  const there = stage.receiver;
  const dry = taken(await there.node.client.clean({ olderThanDays: 0, dryRun: true }));
  assert.ok(dry.worktrees > 0 && existsSync(journey.workspace));
  taken(await there.node.client.clean({ olderThanDays: 0 }));
  assert.deepEqual(readdirSync(join(there.dataFolder, 'travel/work')), []);
});
