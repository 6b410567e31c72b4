import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makePlaceholders, realNameOf, removeForbidden } from './placeholders.ts';

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'baton-placeholders-')));
after(() => rmSync(scratch, { recursive: true, force: true }));

let made = 0;

/** A workspace, and a folder beside it with the same names as the placeholders. */
function folders() {
  const folder = join(scratch, String(++made));
  const [workspace, outside] = [join(folder, 'workspace'), join(folder, 'outside')];
  mkdirSync(join(outside, 'two', 'three'), { recursive: true });
  mkdirSync(workspace, { recursive: true });
  for (const name of ['out.txt', 'two/out.txt', 'two/three/out.txt']) writeFileSync(join(outside, name), '');
  return { workspace, outside };
}

test('placeholders that stayed empty go, with their folders', () => {
  const { workspace } = folders();
  const placeholders = makePlaceholders([{ from: join(workspace, 'one/two/three/out.txt'), at: '/x' }]);
  assert.equal(placeholders.kind, 'made');
  if (placeholders.kind === 'made') placeholders.remove();
  assert.equal(existsSync(join(workspace, 'one')), false);
});

for (const [level, target] of [
  ['one', ''],
  ['one/two', 'two'],
  ['one/two/three', 'two/three'],
] as const)
  test(`a link that was put in the place of ${level} is not followed`, () => {
    const { workspace, outside } = folders();
    const file = join(workspace, 'one/two/three/out.txt');
    const placeholders = makePlaceholders([{ from: file, at: '/x' }]);
    const forbidden = realNameOf(file);
    renameSync(join(workspace, level), join(workspace, 'aside'));
    symlinkSync(join(outside, target), join(workspace, level));
    if (placeholders.kind === 'made') placeholders.remove();
    removeForbidden(forbidden);
    for (const name of ['out.txt', 'two/out.txt', 'two/three/out.txt']) {
      assert.ok(existsSync(join(outside, name)), `${name} outside is gone`);
    }
    assert.ok(existsSync(join(outside, 'two', 'three')));
  });

test('a forbidden path that is a link itself goes, and its target stays', () => {
  const { workspace, outside } = folders();
  const path = realNameOf(join(workspace, 'commondir'));
  symlinkSync(outside, path);
  removeForbidden(path);
  assert.equal(existsSync(path), false);
  assert.ok(existsSync(join(outside, 'out.txt')));
  writeFileSync(path, 'by the agent');
  removeForbidden(path);
  assert.equal(existsSync(path), false);
});
