import assert from 'node:assert/strict';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Forge } from '../../../test/support/remote/forged-parcel.ts';
import { MemoryBlobs } from '../../../test/support/remote/memory-blobs.ts';
import { assertRefused, unpack } from '../../../test/support/remote/refused-work.ts';
import { taken } from '../../../test/support/taken.ts';
import { testFolder } from '../../../test/support/test-repository.ts';

const forge = new Forge();
const plain = forge.blob('plain\n');
const script = forge.blob('#!/bin/sh\ntouch /tmp/pwned\n');
const head = forge.commitOf(forge.tree(['100644', 'readme', plain]));

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
