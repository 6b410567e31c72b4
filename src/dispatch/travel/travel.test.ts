import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MemoryBlobs } from '../../../test/support/memory-blobs.ts';
import { runBaton } from '../../../test/support/run-baton.ts';
import { taken } from '../../../test/support/taken.ts';
import { filesBelow, TestRepository, testFolder } from '../../../test/support/test-repository.ts';
import { type Journey, TravelNode, TravelStage } from '../../../test/support/travel-stage.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { decodeSaop } from '../../protocols/saop/decode.ts';

const stage = await TravelStage.open();
const { client, ledger } = stage.sender.node;

const COMMIT = 'git add -A && git -c user.name=agent -c user.email=agent@x commit -q -m';
const SCRIPT = [
  'printf "changed\\r\\n" > readme.md',
  'rm gone',
  'mv moved elsewhere',
  'printf "\\000\\001\\377" > bin',
  'chmod +x plain',
  'ln -s readme.md new-link',
  'rm link && echo "a file now" > link',
  'mkdir -p a/new && echo x > "a/new/ü b"',
  'rm -r folder && echo "a file now" > folder',
  'rm was && mkdir was && echo z > was/inner',
  'mkdir empty-there',
  'echo ignored > x.log',
  `${COMMIT} first`,
  'echo second > second',
  `${COMMIT} second`,
  'echo more > after-commit',
].join('\n');

/** A repository with something of everything, dirty. */
function lively(): TestRepository {
  const repository = new TestRepository();
  for (const name of ['gone', 'plain', 'was', 'folder/inner', 'theirs']) repository.write(name, `${name}\n`);
  repository.write('moved', 'line\n'.repeat(30));
  repository.write('.gitignore', '*.log\n');
  symlinkSync('plain', join(repository.root, 'link'));
  repository.commit('everything');
  repository.write('untracked', 'untracked\n');
  return repository;
}

const CHECKED = { type: 'FILE', path: 'after-commit', description: 'it' };

function travelled(repository: TestRepository, objective = SCRIPT): Promise<Journey> {
  return stage.there(repository.root, 'runs-a-script', { task: { objective, expected_outputs: [CHECKED] } });
}

/** The files that the other node left, but for what git ignores. */
function filesThere({ workspace }: Journey): Record<string, string> {
  const files = filesBelow(workspace, '', /(^|\/)\.git$/);
  delete files['x.log'];
  return files;
}

test('work comes back to be looked at, applied and undone, byte for byte', async () => {
  const repository = lively();
  repository.write('theirs', 'dirty\n');
  const journey = await travelled(repository);
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

test('the report, the checks, the cost and the receipt are those of the other node', async () => {
  const repository = lively();
  const journey = await travelled(repository);
  await stage.back(journey);
  const { task, there } = journey;
  const here = taken(await client.orderReport({ task }));
  const theirs = taken(await stage.receiver.node.client.orderReport({ task: there }));
  assert.equal(here.isOver, true);
  assert.deepEqual(here.checks, theirs.checks);
  assert.deepEqual(here.changed, theirs.changed);
  assert.equal(here.receipt?.staleFiles.length, 0);
  assert.equal(readFileSync(here.receipt?.file ?? '', 'utf8'), readFileSync(theirs.receipt?.file ?? '', 'utf8'));
  assert.equal(here.workplace?.kind, 'worktree');
  assert.deepEqual(filesBelow(here.workplace?.folder ?? '', '', /(^|\/)\.git$/), filesThere(journey));
  const shown = taken(await client.showTask({ task }));
  assert.equal(shown.work, 'waiting');
});

test('the work is branched with one commit, or with the commits of the agent', async () => {
  const repository = lively();
  const journey = await travelled(repository);
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
  const journey = await travelled(repository);
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

const STEPS = ['echo 1 > one', 'echo 2 > two; rm readme.md', 'echo 3 > one; ln -s two link'];

test('its turns, output and states come back, masked; it is rewound to any of them', async () => {
  const repository = new TestRepository();
  const journey = await stage.there(repository.root, 'works-in-turns', { task: { objective: STEPS.join('\n') } });
  await stage.back(journey);
  const { task, there } = journey;
  const read = async (of: typeof client, name: string) =>
    taken(await of.readTrace({ task: name, whole: true })).entries;
  const here = await read(client, task);
  const theirs = await read(stage.receiver.node.client, there);
  const messages = (entries: typeof here) =>
    entries.filter(({ type }) => type !== 'TASK_TRANSITION').map(({ message }) => message);
  assert.deepEqual(messages(here), messages(theirs));
  assert.equal(here.filter(({ type }) => type === 'TURN').length, 3);
  for (const message of messages(here)) assert.equal(decodeSaop(JSON.stringify(message)).verdict, 'accepted');
  const { points } = taken(await client.listPoints({ task }));
  const turns = points.filter(({ kind }) => kind === 'turn');
  assert.deepEqual(
    turns.map(({ turnIndex }) => turnIndex),
    [0, 1, 2],
  );
  const folder = taken(await client.orderReport({ task })).workplace?.folder ?? '';
  taken(await client.rewindTask({ task, to: turns[0]?.point ?? '' }));
  assert.equal(taken(await client.showTask({ task })).status, 'blocked');
  assert.deepEqual(Object.keys(filesBelow(folder, '', /(^|\/)\.git$/)).sort(), ['one', 'readme.md']);
  assert.equal(readFileSync(join(folder, 'one'), 'utf8'), '1\n');
  taken(await client.rewindTask({ task, to: turns[2]?.point ?? '' }));
  assert.ok(lstatSync(join(folder, 'link')).isSymbolicLink());
});

test('its log is the log of the task here', async () => {
  const repository = new TestRepository();
  const journey = await stage.there(repository.root, 'tells-secrets', {});
  await stage.back(journey);
  const log = taken(await client.readLog({ task: journey.task }));
  assert.match(log.text, /what follows was done on another node/);
  assert.match(log.text, /printed \[REDACTED/);
  const everything = JSON.stringify([
    log,
    taken(await client.readTrace({ task: journey.task, whole: true })),
    taken(await client.orderReport({ task: journey.task })),
    taken(await client.listEvents({ task: journey.task })),
    [...stage.blobs.stored.values()].length,
  ]);
  assert.doesNotMatch(everything, /ghp_(?!diff)[a-z]/);
});

test('the receipt is verified at home: signed by the node, a known key', async () => {
  const repository = lively();
  const journey = await travelled(repository);
  await stage.back(journey);
  const file = join(stage.sender.dataFolder, 'runs', journey.task, 'receipt.json');
  const run = await runBaton(['receipt', 'verify', file, '--data', stage.sender.dataFolder]);
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /^valid: /);
  assert.match(run.stdout, /signed {3}by the node tower, a known key/);
  const other = await runBaton(['receipt', 'verify', file, '--data', testFolder(), '--json']);
  assert.equal(JSON.parse(other.stdout).signer === 'this-node', false);
});

test('a second import of the same result changes nothing, before and after the report', async () => {
  const repository = lively();
  const journey = await travelled(repository);
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
  const journey = await travelled(repository);
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
  const receiver = await TravelNode.open('inside', { dataFolder: join(around.root, '.baton') });
  const inside = new TravelStage(stage.sender, receiver, new MemoryBlobs());
  const mine = around.fingerprint();
  const repository = lively();
  const journey = await inside.there(repository.root, 'runs-a-script', { task: { objective: SCRIPT } });
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
  const journey = await travelled(repository, `test -e after-commit && echo here > went-on\n${SCRIPT}`);
  await stage.back(journey);
  const { task } = journey;
  const { dataFolder } = stage.sender;
  await stage.sender.close();
  const here = await TravelNode.open('laptop', { dataFolder });
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
