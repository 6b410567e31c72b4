import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { Forge } from '../../../test/support/remote/forged-parcel.ts';
import { MemoryBlobs } from '../../../test/support/remote/memory-blobs.ts';
import { assertRefused, unpack } from '../../../test/support/remote/refused-work.ts';
import { taken } from '../../../test/support/taken.ts';
import { testFolder } from '../../../test/support/test-repository.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { Parcel } from './parcel.ts';

const MIB = 1_024 * 1_024;
const forge = new Forge();
const plain = forge.blob('plain\n');
const head = forge.commitOf(forge.tree(['100644', 'readme', plain]));

const PARCELS: readonly (readonly [why: string, made: (blobs: MemoryBlobs) => unknown, reason: RegExp])[] = [
  ['is no object', () => 'parcel', /JSON object/],
  ['is of a later version', (blobs) => ({ ...forge.parcel(blobs, { state: head }), version: 2 }), /version/],
  ['is a result', (blobs) => ({ ...forge.parcel(blobs, { state: head }), holds: 'result' }), /holds/],
  [
    'has a path as its repository',
    (blobs) => ({ ...forge.parcel(blobs, { state: head }), repository: '../../x' }),
    /repository/,
  ],
  [
    'has an option as its state',
    (blobs) => ({ ...forge.parcel(blobs, { state: head }), state: '--output=/tmp/x' }),
    /state/,
  ],
  [
    'has a path as a blob',
    (blobs) => ({
      ...forge.parcel(blobs, { state: head }),
      blobs: [{ sha256: '../../../etc/passwd', bytes: 1 }],
      bytes: 1,
    }),
    /blobs/,
  ],
  [
    'has blobs beyond the size of one',
    (blobs) => ({
      ...forge.parcel(blobs, { state: head }),
      blobs: [{ sha256: 'a'.repeat(64), bytes: 5 * MIB }],
      bytes: 5 * MIB,
    }),
    /blobs/,
  ],
  ['says that it is smaller than it is', (blobs) => ({ ...forge.parcel(blobs, { state: head }), bytes: 1 }), /bytes/],
  [
    'says that its objects are smaller than they are',
    (blobs) => forge.parcel(blobs, { state: head, unpackedBytes: 3 }),
    /another size/,
  ],
  ['says that it is very large', (blobs) => forge.parcel(blobs, { state: head, unpackedBytes: 10 ** 12 }), /at most/],
  ['has a blob with other bytes', (blobs) => swapped(blobs, forge.parcel(blobs, { state: head })), /1 of 1 parts/],
  [
    'has no files',
    (blobs) => ({ ...forge.parcel(blobs, { state: head }), state: 'f'.repeat(40) }),
    /missing|no commit/,
  ],
  ['lacks an object', (blobs) => lacking(blobs), /missing/],
  ['has a file as its state', (blobs) => ({ ...forge.parcel(blobs, { state: head }), state: plain }), /no commit/],
  [
    'does not say what its files are like',
    (blobs) => forge.parcel(blobs, { state: head, beside: head }),
    /what its files are like/,
  ],
  ['has deltas', (blobs) => withDeltas(blobs), /delta/],
  ['has an object under the name of another', (blobs) => collided(blobs), /missing|another size/],
  ['is no pack', (blobs) => forge.sent(blobs, Buffer.from('not a pack at all, really')), /state|pack/],
];

for (const [why, made, reason] of PARCELS) {
  test(`a parcel is refused that ${why}`, async () => {
    const blobs = new MemoryBlobs();
    await assertRefused(made(blobs), blobs, reason);
  });
}

function swapped(blobs: MemoryBlobs, parcel: Parcel): Parcel {
  for (const { sha256, bytes } of parcel.blobs) blobs.stored.set(sha256, randomBytes(bytes));
  return parcel;
}

function lacking(blobs: MemoryBlobs): Parcel {
  const state = forge.commitOf(forge.tree(['100644', 'gone', createHash('sha1').update('x').digest('hex')]));
  const beside = forge.beside();
  const names = forge.git('rev-list', '--objects', '--no-object-names', '--no-walk', beside).split('\n');
  const tree = forge.git('rev-parse', `${state}^{tree}`);
  const all = [...names, state, tree];
  return { ...forge.sent(blobs, forge.pack(all)), state, beside, unpackedBytes: forge.sizeOf(all) };
}

function withDeltas(blobs: MemoryBlobs): Parcel {
  const long = 'the same line\n'.repeat(2_000);
  const [one, two] = [forge.blob(`${long}1`), forge.blob(`${long}2`)];
  const state = forge.commitOf(forge.tree(['100644', 'one', one], ['100644', 'two', two]));
  const beside = forge.beside();
  const names = forge.git('rev-list', '--objects', '--no-object-names', '--no-walk', state, beside).split('\n');
  const pack = forge.pack(names, '--window=10', '--depth=10');
  return { ...forge.sent(blobs, pack), state, beside, unpackedBytes: forge.sizeOf(names) };
}

/** A pack names no objects: their bytes do. So other bytes are another object, and the wanted one is missing. */
function collided(blobs: MemoryBlobs): Parcel {
  const wanted = forge.blob('what was asked for\n');
  const state = forge.commitOf(forge.tree(['100644', 'file', wanted]));
  const beside = forge.beside();
  const names = forge.git('rev-list', '--objects', '--no-object-names', '--no-walk', state, beside).split('\n');
  const other = names.map((name) => (name === wanted ? forge.blob('what comes instead\n') : name));
  return { ...forge.sent(blobs, forge.pack(other)), state, beside, unpackedBytes: forge.sizeOf(other) };
}

test('a pack that is a bomb is not inflated', async () => {
  const blobs = new MemoryBlobs();
  const bomb = deflateSync(Buffer.alloc(256 * MIB));
  const header = Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 0, 1]), Buffer.from([0xb5, 0x0a])]);
  const body = Buffer.concat([header, bomb]);
  const pack = Buffer.concat([body, createHash('sha1').update(body).digest()]);
  assert.ok(pack.length < MIB);
  const parcel = { ...forge.sent(blobs, pack), state: head, beside: head, unpackedBytes: 165 };
  await assertRefused(parcel, blobs, /damaged/);
});

test('a node cannot use objects of another one by naming their commit', async () => {
  const [blobs, dataFolder] = [new MemoryBlobs(), testFolder()];
  taken(await unpack(forge.parcel(blobs, { baseCommit: head, state: head }), blobs, { dataFolder, from: 'alice' }));
  const beside = forge.beside();
  const names = forge.git('rev-list', '--objects', '--no-object-names', '--no-walk', beside).split('\n');
  const asked = { ...forge.sent(blobs, forge.pack(names)), state: head, beside, unpackedBytes: forge.sizeOf(names) };
  for (const needs of [[head], []]) {
    const answer = await unpack({ ...asked, needs }, blobs, { dataFolder, from: 'mallory', name: 'evt-2' });
    assert.ok(isRefusal(answer), JSON.stringify(answer));
  }
  taken(await unpack({ ...asked, needs: [head] }, blobs, { dataFolder, from: 'alice', name: 'evt-3' }));
});

test('a folder is named by plain characters, and has one parcel', async () => {
  const [blobs, dataFolder] = [new MemoryBlobs(), testFolder()];
  const parcel = forge.parcel(blobs, { state: head });
  for (const name of ['', '.', '..', '../x', 'a/b', '.hidden', 'x.json', 'x.new', '-\0']) {
    const answer = await unpack(parcel, blobs, { dataFolder, name });
    assert.ok(isRefusal(answer) && answer.code === 'invalid_argument', name);
  }
  taken(await unpack(parcel, blobs, { dataFolder }));
  const other = forge.parcel(blobs, { state: forge.commitOf(forge.tree()) });
  const answer = await unpack(other, blobs, { dataFolder });
  assert.ok(isRefusal(answer) && answer.code === 'file_exists');
});
