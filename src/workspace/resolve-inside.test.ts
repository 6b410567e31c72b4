import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../test/support/test-repository.ts';
import { isRefusal } from '../domain/refusal.ts';
import { placeOf, resolveInside } from './resolve-inside.ts';
import { resolvePath } from './resolve-path.ts';

const folder = testFolder();
const root = join(folder, 'ws');
mkdirSync(join(root, 'src'), { recursive: true });
mkdirSync(join(folder, 'ws-evil'));
writeFileSync(join(folder, 'ws-evil', 'file'), '');
writeFileSync(join(folder, 'secret'), '');
writeFileSync(join(root, 'src', 'file'), '');
writeFileSync(join(root, 'C:'), '');
for (const [link, to] of [
  ['to-etc', '/etc'],
  ['to-outside', '../secret'],
  ['to-src', 'src'],
  ['to-self', '.'],
  ['dangling-out', '/nowhere/at/all'],
  ['dangling-in', 'src/not-yet'],
  ['circle', 'circle'],
  ['back-in', `${join(folder, 'ws-evil')}/../ws/src/file`],
] as const) {
  symlinkSync(to, join(root, link));
}
execFileSync('mkfifo', [join(root, 'pipe')]);

const INSIDE: readonly (readonly [path: string, real: string])[] = [
  ['src/file', 'src/file'],
  ['./src/./file', 'src/file'],
  ['src/../src/file', 'src/file'],
  ['to-src/file', 'src/file'],
  ['to-self/to-self/src', 'src'],
  ['back-in', 'src/file'],
  ['.', ''],
  [root, ''],
  [join(root, 'src'), 'src'],
];

for (const [path, real] of INSIDE) {
  test(`${path.replace(folder, '…')} lies in the workspace`, () => {
    assert.deepEqual(placeOf(path, root), { kind: 'inside', real: join(root, real) });
    assert.equal(resolvePath(path, root).kind, 'there');
    assert.equal(realpathSync(join(root, real)), join(root, real));
  });
}

const OUTSIDE = [
  '..',
  '../ws-evil/file',
  join(folder, 'ws-evil', 'file'),
  '/etc/passwd',
  'to-etc/passwd',
  'to-etc/not-there',
  'to-etc/../root',
  'to-outside',
  'dangling-out',
  'circle',
  'circle/file',
  'src/file/below',
  'src/file/..',
  'a\0b',
  '',
  'x'.repeat(300),
  '/proc/self/root/etc',
];

for (const path of OUTSIDE) {
  test(`${JSON.stringify(path.replace(folder, '…').slice(0, 40))} is refused`, () => {
    const refused = resolveInside(root, path);
    assert.ok(isRefusal(refused), String(refused));
    assert.equal(refused.code, 'E_PERMISSION_DENIED');
  });
}

const OF_OTHER_SYSTEMS = ['C:/ai/my-project', 'c:\\Users', 'C:', '\\\\server\\share', '\\temp'];

for (const path of OF_OTHER_SYSTEMS) {
  test(`${path} is a path of another system, never a name here`, () => {
    assert.deepEqual(placeOf(path, root), { kind: 'other-system' });
    const refused = resolveInside(root, path);
    assert.ok(isRefusal(refused));
    assert.equal(refused.code, 'E_FILE_NOT_FOUND');
  });
}

test('what is not there yet is told with the nearest folder that is', () => {
  assert.deepEqual(placeOf('to-src/a/b', root), {
    kind: 'missing',
    real: join(root, 'src/a/b'),
    nearest: join(root, 'src'),
  });
  assert.deepEqual(resolveInside(root, 'dangling-in'), join(root, 'src/not-yet'));
  assert.deepEqual(resolveInside(root, '~/x'), join(root, '~/x'));
  assert.deepEqual(resolveInside(root, '%2e%2e/x'), join(root, '%2e%2e/x'));
  assert.ok(isRefusal(resolveInside(root, 'not-there/../../secret')));
});

test('a pipe is told as neither file nor folder, a folder of another kind of letters as another', () => {
  assert.deepEqual(resolvePath('pipe', root), { kind: 'there', realPath: join(root, 'pipe'), what: 'other' });
  assert.equal(resolvePath('SRC/file', root).kind, 'missing');
});
