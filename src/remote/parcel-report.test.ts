import assert from 'node:assert/strict';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesThere, lively, travelled } from '../../test/support/remote/lively-work.ts';
import { ParcelStage } from '../../test/support/remote/parcel-stage.ts';
import { runBaton } from '../../test/support/run-baton.ts';
import { taken } from '../../test/support/taken.ts';
import { filesBelow, TestRepository, testFolder } from '../../test/support/test-repository.ts';
import { decodeSaop } from '../protocols/saop/decode.ts';

const stage = await ParcelStage.open();
const { client } = stage.sender.node;

test('the report, the checks, the cost and the receipt are those of the other node', async () => {
  const repository = lively();
  const journey = await travelled(stage, repository);
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
  const journey = await travelled(stage, repository);
  await stage.back(journey);
  const file = join(stage.sender.dataFolder, 'runs', journey.task, 'receipt.json');
  const run = await runBaton(['receipt', 'verify', file, '--data', stage.sender.dataFolder]);
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /^valid: /);
  assert.match(run.stdout, /signed {3}by the node tower, a known key/);
  const other = await runBaton(['receipt', 'verify', file, '--data', testFolder(), '--json']);
  assert.equal(JSON.parse(other.stdout).signer === 'this-node', false);
});
