import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWholePath, isWithin, wholePath } from './path-text.ts';

test('a path is read from its folder, unless it is whole', () => {
  const rows = [
    ['/ws', 'a', '/ws/a'],
    ['/ws', './a//b/.', '/ws/a/b'],
    ['/ws', 'a/../../b', '/b'],
    ['/ws', '../../../b', '/b'],
    ['/ws', '/x/../y/', '/y'],
    ['/ws', '.', '/ws'],
    ['/', 'a', '/a'],
  ] as const;
  for (const [folder, path, want] of rows) assert.equal(wholePath(folder, path), want, path);
});

test('a path is within a folder by whole names', () => {
  const within = [
    ['/ws', '/ws'],
    ['/ws', '/ws/a'],
    ['/ws/', '/ws/a'],
    ['/', '/etc'],
  ] as const;
  for (const [folder, path] of within) assert.equal(isWithin(folder, path), true, path);
  for (const path of ['/ws-evil', '/w', '/', '/wsa/b']) assert.equal(isWithin('/ws', path), false, path);
});

test('whole paths of any system are known', () => {
  for (const path of ['/a', 'C:/a', 'c:\\a', '\\\\server\\a']) assert.equal(isWholePath(path), true, path);
  for (const path of ['', 'a', './a', '~', 'C:', 'CC:/a']) assert.equal(isWholePath(path), false, path);
});
