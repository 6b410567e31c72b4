import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parcelDigest } from '../../../src/remote/parcel/parcel.ts';
import { taken } from '../taken.ts';
import { filesBelow, TestRepository, testFolder } from '../test-repository.ts';
import { FolderBlobs } from './folder-blobs.ts';
import { ParcelNode, ParcelStage } from './parcel-stage.ts';

const PLAY = new URL('./play-parcels.ts', import.meta.url).pathname;
const blobs = new FolderBlobs(join(testFolder(), 'blobs'));
const stage = await ParcelStage.over(blobs);
const repository = new TestRepository();
for (const name of ['one', 'two', 'a/three']) repository.write(name, `${name}\n`);
repository.commit('files');
repository.write('dirty', 'dirty\n');
const objective =
  'echo 1 > one; rm two; mkdir b; echo 4 > b/four; git add -A; git -c user.name=a -c user.email=a commit -qm x; echo 5 > five';
const journey = await stage.there(repository.root, 'runs-a-script', { task: { objective } });
const expected = filesBelow(journey.workspace, '', /(^|\/)\.git$/);
const diff = taken(await stage.receiver.node.client.diffWork({ task: journey.there }));
const { publicKey } = stage.receiver;
const folders = { sender: stage.sender.dataFolder, receiver: stage.receiver.dataFolder };
for (const node of [stage.sender, stage.receiver]) await node.close();

function play(verb: string, what: object, crashAt = '') {
  const env = { ...process.env, BATON_CRASH: crashAt };
  const { signal, stdout, stderr } = spawnSync(process.execPath, [PLAY, verb, JSON.stringify(what)], {
    env,
    encoding: 'utf8',
  });
  return { isKilled: signal === 'SIGKILL', answer: stdout === '' ? null : JSON.parse(stdout), stderr };
}

/** Kills a call at a point, time after time, and then lets it end; the number of kills and its answer. */
function killed(verb: string, what: object, point: string) {
  let kills = 0;
  for (let count = 1; count < 20; count++) {
    const played = play(verb, what, `${point}:${count}`);
    if (!played.isKilled) return { kills, answer: played.answer, stderr: played.stderr };
    kills += 1;
  }
  throw new Error(`it never ends: ${point}`);
}

/** A data folder as it was before, at its place. */
function again(folder: string, copy: string): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(copy, folder, { recursive: true, verbatimSymlinks: true });
}

function copied(folder: string): string {
  const copy = join(testFolder(), 'copy');
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Nothing of a killed process is left in the way. */
function assertTidy(folder: string): void {
  for (const name of ['incoming', 'outgoing']) {
    const path = join(folder, 'travel', name);
    assert.deepEqual(existsSync(path) ? readdirSync(path) : [], [], name);
  }
  const left = readdirSync(folder, { recursive: true }).map(String);
  const drafts = left.filter((name) => !/\/\.git\//.test(name) && /(intake|\.new$|\.gone$|\.index$)/.test(name));
  assert.deepEqual(drafts, []);
}

const before = { sender: copied(folders.sender), receiver: copied(folders.receiver) };

/** Kills an import at a point, as often as it gets there: the next one ends it. */
export async function killImport(point: string): Promise<void> {
  again(folders.sender, before.sender);
  const { task, sent, result } = journey;
  const request = { task, node: 'tower', publicKey, agent: 'emma@tower', sent, result };
  const { kills, answer, stderr } = killed(
    'importResult',
    { dataFolder: folders.sender, blobs: blobs.folder, request },
    point,
  );
  assert.ok(kills > 0, 'it never got there');
  assert.equal(answer?.kind, 'imported', stderr || JSON.stringify(answer));
  assertTidy(folders.sender);
  const node = await ParcelNode.open('laptop', { isSender: true, dataFolder: folders.sender });
  assert.equal(taken(await node.node.client.diffWork({ task })).text, diff.text);
  assert.deepEqual(filesBelow(join(folders.sender, 'worktrees', `${task}-1`), '', /(^|\/)\.git$/), expected);
  const counts = node.node.ledger.read.tuple(
    `SELECT count(*) FROM run_facts WHERE task_id = ? AND fact LIKE '%"kind":"collected"%'`,
    task,
  );
  assert.deepEqual([...(counts ?? [])], [1]);
  await node.close();
}

/** The same for work that is unpacked. */
export function killUnpacking(point: string): void {
  again(folders.receiver, before.receiver);
  const request = { parcel: journey.sent, from: 'another', name: 'evt-again' };
  const { kills, answer, stderr } = killed(
    'unpackWork',
    { dataFolder: folders.receiver, blobs: blobs.folder, request },
    point,
  );
  assert.ok(kills > 0, 'it never got there');
  assert.equal(answer?.kind, 'unpacked', stderr || JSON.stringify(answer));
  assertTidy(folders.receiver);
  assert.deepEqual(filesBelow(answer.workspace, '', /(^|\/)\.git$/), repository.files());
}

/** The same for work that is packed: it makes the same parcel. */
export function killPacking(point: string): void {
  again(folders.sender, before.sender);
  rmSync(join(folders.sender, 'shadows'), { recursive: true, force: true });
  rmSync(blobs.folder, { recursive: true, force: true });
  const request = { task: journey.task, haves: [] };
  const { kills, answer, stderr } = killed(
    'packWork',
    { dataFolder: folders.sender, blobs: blobs.folder, request },
    point,
  );
  assert.ok(kills > 0, 'it never got there');
  assert.equal(answer?.holds, 'work', stderr);
  assert.equal(parcelDigest(answer), parcelDigest(journey.sent));
  assert.equal(
    readdirSync(blobs.folder).filter((name) => !name.endsWith('.new')).length,
    new Set(journey.sent.blobs.map(({ sha256 }) => sha256)).size,
  );
  assertTidy(folders.sender);
}

export const IMPORT_POINTS = [
  'parcel.blob-fetched',
  'parcel.result-stored',
  'parcel.result-laid-out',
  'parcel.result-files-written',
  'commit.before',
  'commit.after',
  'parcel.result-recorded',
];
export const UNPACK_POINTS = [
  'parcel.blob-fetched',
  'parcel.object-stored',
  'parcel.files-laid-out',
  'parcel.unpacked',
];
export const PACK_POINTS = ['parcel.base-recorded', 'parcel.blob-put'];
