import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';

/** One change of a folder. A path has one character a byte: names need not be UTF-8. */
export type Deed =
  | { readonly kind: 'write'; readonly path: string; readonly bytes: Uint8Array; readonly isExecutable: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'move'; readonly path: string; readonly to: string }
  | { readonly kind: 'folder'; readonly path: string };

const ODD_NAMES = ['\xc3\xbc', 'a b', '\'q"', 'new\nline', '-dash', '\\back', '*', '!no', '#no', '\xff\xfe', ' '];
const name = fc.constantFrom('a', 'b', 'c', 'README', 'readme', 'x.ign', '.gitattributes', ...ODD_NAMES);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const bytes = fc.oneof(
  fc.constant(Buffer.from('one\r\ntwo\r\n')),
  fc.constant(Buffer.from('* text=auto eol=lf\n*.x filter=none\n')),
  fc.constant(Buffer.alloc(0)),
  fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array)),
);
const target = fc.constantFrom('a', '../a', 'nowhere', '/etc/hostname', '../../../..', 'b/c');

export const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('write' as const), path, bytes, isExecutable: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('link' as const), path, target }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('folder' as const), path }) },
  ),
  { maxLength: 14 },
);

function at(root: string, inner: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(inner, 'latin1')]);
}

function statsAt(root: string, inner: string) {
  return lstatSync(at(root, inner), { throwIfNoEntry: false });
}

function foldersOf(inner: string): readonly string[] {
  const parts = inner.split('/');
  return parts.slice(1).map((_, end) => parts.slice(0, end + 1).join('/'));
}

/** Makes room for a path: whatever is in its way goes. */
function makeRoom(root: string, inner: string): void {
  for (const folder of foldersOf(inner)) {
    if (!statsAt(root, folder)?.isDirectory()) removeAt(root, folder);
    if (!statsAt(root, folder)) mkdirSync(at(root, folder));
  }
  removeAt(root, inner);
}

function removeAt(root: string, inner: string): void {
  const stats = statsAt(root, inner);
  if (!stats) return;
  if (!stats.isDirectory()) {
    rmSync(at(root, inner));
    return;
  }
  for (const each of readdirSync(at(root, inner), { encoding: 'buffer' }))
    removeAt(root, `${inner}/${each.toString('latin1')}`);
  rmSync(at(root, inner), { recursive: true });
}

/** Whether a path leads through folders alone, to something that is there. */
function isReached(root: string, inner: string): boolean {
  return foldersOf(inner).every((folder) => statsAt(root, folder)?.isDirectory()) && statsAt(root, inner) !== undefined;
}

export function perform(root: string, deed: Deed): void {
  switch (deed.kind) {
    case 'write':
      makeRoom(root, deed.path);
      writeFileSync(at(root, deed.path), deed.bytes);
      chmodSync(at(root, deed.path), deed.isExecutable ? 0o755 : 0o644);
      return;
    case 'link':
      makeRoom(root, deed.path);
      symlinkSync(deed.target, at(root, deed.path));
      return;
    case 'folder':
      makeRoom(root, deed.path);
      mkdirSync(at(root, deed.path));
      return;
    case 'remove':
      if (isReached(root, deed.path)) removeAt(root, deed.path);
      return;
    case 'move': {
      const isInside = `${deed.to}/`.startsWith(`${deed.path}/`) || `${deed.path}/`.startsWith(`${deed.to}/`);
      if (isInside || !isReached(root, deed.path)) return;
      makeRoom(root, deed.to);
      if (isReached(root, deed.path)) renameSync(at(root, deed.path), at(root, deed.to));
    }
  }
}

/** Everything in a folder with its kind, executable bit and bytes; git and ignored files (`*.ign`) aside. */
export function contentOf(
  root: string,
  { hasFolders }: { readonly hasFolders: boolean },
  below = '',
): Record<string, string> {
  const found: Record<string, string> = {};
  const names = readdirSync(at(root, below), { encoding: 'buffer' }).map((each) => each.toString('latin1'));
  for (const each of names.sort()) {
    const inner = below === '' ? each : `${below}/${each}`;
    if (inner === '.git' || each.endsWith('.ign')) continue;
    const stats = lstatSync(at(root, inner));
    if (stats.isSymbolicLink()) found[inner] = `link ${readlinkSync(at(root, inner), 'latin1')}`;
    else if (!stats.isDirectory()) {
      const kind = (stats.mode & 0o100) === 0 ? 'plain' : 'executable';
      found[inner] = `${kind} ${readFileSync(at(root, inner)).toString('hex')}`;
    } else if (hasFolders && readdirSync(at(root, inner)).length === 0) found[`${inner}/`] = 'empty';
    else Object.assign(found, contentOf(root, { hasFolders }, inner));
  }
  return found;
}
