import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { Forge } from '../../../test/support/forged-parcel.ts';
import { MemoryBlobs } from '../../../test/support/memory-blobs.ts';
import { taken } from '../../../test/support/taken.ts';
import { testFolder } from '../../../test/support/test-repository.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { Parcel } from './parcel.ts';
import { unpackWork } from './unpack-work.ts';

const MIB = 1_024 * 1_024;
const forge = new Forge();
const plain = forge.blob('plain\n');
const script = forge.blob('#!/bin/sh\ntouch /tmp/pwned\n');
const head = forge.commitOf(forge.tree(['100644', 'readme', plain]));

function unpack(
  parcel: unknown,
  blobs: MemoryBlobs,
  more: { readonly dataFolder?: string; readonly from?: string; readonly name?: string } = {},
) {
  const { dataFolder = testFolder(), from = 'mallory', name = 'evt' } = more;
  return unpackWork({ dataFolder, parcel, from, name, bytesMax: 8 * MIB, atMs: 1_770_000_000_000, blobs });
}

/** Refused with a reason, and nothing of it is in the store or anywhere else. */
async function assertRefused(parcel: unknown, blobs: MemoryBlobs, reason: RegExp): Promise<void> {
  const folder = testFolder();
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder);
  writeFileSync(join(folder, 'beside'), 'mine');
  const answer = await unpack(parcel, blobs, { dataFolder });
  assert.ok(isRefusal(answer), JSON.stringify(answer));
  assert.match(`${answer.message} ${answer.details?.join(' ') ?? ''}`, reason);
  const work = join(dataFolder, 'travel/work');
  assert.deepEqual(existsSync(work) ? readdirSync(work) : [], []);
  const stores = join(dataFolder, 'travel/stores');
  for (const store of existsSync(stores) ? readdirSync(stores) : []) {
    assert.deepEqual(readdirSync(join(stores, store, 'objects/pack')), []);
    assert.deepEqual(readdirSync(join(stores, store, 'commits')), []);
  }
  assert.deepEqual(readdirSync(folder).sort(), ['beside', 'data']);
  assert.equal(readFileSync(join(folder, 'beside'), 'utf8'), 'mine');
}

/** The file that does harm, in a tree of its own. */
const TREES: readonly (readonly [why: string, tree: () => string, reason: RegExp])[] = [
  [
    'a hook',
    () =>
      forge.tree(['40000', '.git', forge.tree(['40000', 'hooks', forge.tree(['100755', 'post-checkout', script])])]),
    /\.git.*not allowed/,
  ],
  [
    'a configuration of git',
    () => forge.tree(['40000', 'sub', forge.tree(['40000', '.GIT', forge.tree(['100644', 'config', plain])])]),
    /sub\/\.GIT.*not allowed/,
  ],
  ['git itself as a link', () => forge.tree(['120000', '.git', forge.blob('/home/me/.git')]), /not allowed/],
  ['git itself as a file', () => forge.tree(['100644', '.git', forge.blob('gitdir: /home/me/.git')]), /not allowed/],
  ['the short name of git on NTFS', () => forge.tree(['40000', 'git~1', forge.tree()]), /not allowed/],
  ['a path out', () => forge.tree(['100644', '../beside', plain]), /not allowed/],
  ['the folder above', () => forge.tree(['40000', '..', forge.tree(['100644', 'beside', plain])]), /not allowed/],
  ['a path in a name', () => forge.tree(['100644', 'a/b', plain]), /not allowed/],
  ['an absolute path', () => forge.tree(['100644', '/tmp/pwned', plain]), /not allowed/],
  [
    'a folder behind a link of the same name',
    () => forge.tree(['120000', 'a', forge.blob('/tmp')], ['40000', 'a', forge.tree(['100644', 'pwned', plain])]),
    /not allowed/,
  ],
  [
    'a folder behind a link in other letters',
    () => forge.tree(['120000', 'A', forge.blob('/tmp')], ['40000', 'a', forge.tree(['100644', 'pwned', plain])]),
    /not allowed/,
  ],
  [
    'a list of submodules that is a link',
    () => forge.tree(['120000', '.gitmodules', forge.blob('/etc/passwd')]),
    /not allowed/,
  ],
  ['a device', () => forge.tree(['60644', 'sda', plain]), /not allowed/],
  ['rights of another user', () => forge.tree(['104755', 'su', script]), /not allowed/],
  [
    'a link as long as a book',
    () => forge.tree(['120000', 'link', forge.blob('x'.repeat(5_000))]),
    /no link is like it/,
  ],
  [
    'a folder that is a file',
    () => forge.tree(['40000', 'folder', plain]),
    /not what its folder says|cannot read|missing|damaged/,
  ],
  ['a file that is a folder', () => forge.tree(['100644', 'file', forge.tree()]), /not what its folder says/],
  ['half an entry', () => forge.object('tree', Buffer.from('100644 half\0abc')), /damaged|cannot read|missing|size/],
];

for (const [why, tree, reason] of TREES) {
  test(`work is refused whose files have ${why}`, async () => {
    const blobs = new MemoryBlobs();
    const made = tree();
    const state = forge.commitOf(made, head);
    const below = (name: string): readonly string[] => {
      const type = forge.git('cat-file', '-t', name);
      return type === 'tree' ? [name] : [];
    };
    await assertRefused(forge.parcel(blobs, { baseCommit: head, state }, below(made)), blobs, reason);
    // Also as a file that only comes beside the others.
    const beside = forge.beside({}, ['40000', 'files', made]);
    await assertRefused(forge.parcel(blobs, { state: head, beside }), blobs, /./);
  });
}

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

test('a few folders that name each other over and over are not a billion files', async () => {
  const blobs = new MemoryBlobs();
  let tree = forge.tree(
    ...Array.from({ length: 50 }, (_, at) => ['100644', `f${String(at).padStart(2, '0')}`, plain] as const),
  );
  for (let depth = 0; depth < 8; depth++) {
    const inner = tree;
    tree = forge.tree(
      ...Array.from({ length: 50 }, (_, at) => ['40000', `d${String(at).padStart(2, '0')}`, inner] as const),
    );
  }
  const startedAt = performance.now();
  await assertRefused(forge.parcel(blobs, { state: forge.commitOf(tree) }), blobs, /more than 200000 files/);
  assert.ok(performance.now() - startedAt < 20_000);
});

test('the same file a thousand times is as large as a thousand files', async () => {
  const blobs = new MemoryBlobs();
  const large = forge.blob(Buffer.alloc(64 * 1_024, 1));
  const tree = forge.tree(
    ...Array.from({ length: 1_000 }, (_, at) => ['100644', `f${String(at).padStart(4, '0')}`, large] as const),
  );
  await assertRefused(forge.parcel(blobs, { state: forge.commitOf(tree) }), blobs, /at most/);
});

test('a path deeper than any disk has is refused', async () => {
  const blobs = new MemoryBlobs();
  let tree = forge.tree(['100644', 'file', plain]);
  const names: string[] = [];
  for (let depth = 0; depth < 60; depth++) {
    tree = forge.tree(['40000', 'x'.repeat(100), tree]);
    names.push(tree);
  }
  await assertRefused(forge.parcel(blobs, { state: forge.commitOf(tree) }), blobs, /path of more than/);
});

const METAS: readonly (readonly [why: string, meta: object])[] = [
  ['a folder out of the work', { folder: '../../..' }],
  ['an absolute folder', { folder: '/etc' }],
  ['an empty folder elsewhere', { emptyFolders: ['../../pwned/'] }],
  ['an empty folder of git', { emptyFolders: ['.git/hooks/'] }],
  ['rights of a file elsewhere', { modes: { '../../beside': 0o777 } }],
  ['a setting of git that is a command', { lineEnds: { autocrlf: 'true\n[core]\n\tfsmonitor = touch /tmp/pwned' } }],
  ['an author who is a setting', { identity: { name: 'x"\n[core]\n\tfsmonitor = touch /tmp/pwned\n', email: 'x' } }],
  ['rules with a zero byte', { exclude: 'a\0b' }],
  ['no version', { version: 7 }],
];

for (const [why, meta] of METAS) {
  test(`work is refused that comes with ${why}`, async () => {
    const blobs = new MemoryBlobs();
    await assertRefused(
      forge.parcel(blobs, { state: head, beside: forge.beside(meta) }),
      blobs,
      /what its files are like/,
    );
  });
}

test('no empty folder, mode, workspace or further file lies behind a link of the work', async () => {
  const outside = testFolder();
  writeFileSync(join(outside, 'file'), 'mine', { mode: 0o600 });
  const state = forge.commitOf(forge.tree(['120000', 'link', forge.blob(outside)], ['100644', 'readme', plain]));
  const blobs = new MemoryBlobs();
  const quiet = forge.parcel(blobs, {
    state,
    beside: forge.beside({ emptyFolders: ['link/new/'], modes: { 'link/file': 0o777 } }),
  });
  const { workspace } = taken(await unpack(quiet, blobs));
  assert.deepEqual(readdirSync(outside), ['file']);
  assert.equal(lstatSync(join(outside, 'file')).mode & 0o777, 0o600);
  assert.ok(lstatSync(join(workspace, 'link')).isSymbolicLink());
  await assertRefused(forge.parcel(blobs, { state, beside: forge.beside({ folder: 'link' }) }), blobs, /is no folder/);
  const files = forge.tree(['40000', 'link', forge.tree(['100644', 'pwned', plain])]);
  await assertRefused(
    forge.parcel(blobs, { state, beside: forge.beside({}, ['40000', 'files', files]) }),
    blobs,
    /in the way/,
  );
  assert.deepEqual(readdirSync(outside), ['file']);
});

test('names of git that only look alike, submodules and attributes are no danger and arrive', async () => {
  const blobs = new MemoryBlobs();
  const attributes = forge.blob('* filter=evil diff=evil merge=evil\n');
  const modules = forge.blob('[submodule "x"]\n\tpath = x\n\turl = -u./evil\n\tupdate = !touch /tmp/pwned\n');
  const entries = [
    ['100644', '.gitattributes', attributes],
    ['100644', '.gitignore', plain],
    ['100644', '.gitmodules', modules],
    ['40000', 'hooks', forge.tree(['100755', 'post-checkout', script])],
    ['160000', 'x', head],
  ] as const;
  const state = forge.commitOf(forge.tree(...entries));
  const { workspace } = taken(await unpack(forge.parcel(blobs, { baseCommit: state, state }), blobs));
  assert.equal(readFileSync(join(workspace, '.gitattributes'), 'utf8'), '* filter=evil diff=evil merge=evil\n');
  assert.deepEqual(readdirSync(join(workspace, 'x')), []);
  assert.ok(!existsSync('/tmp/pwned'));
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
