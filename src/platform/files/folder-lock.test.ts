import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findLockHolder, tryFolderLock } from './folder-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-lock-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('one holds the folder, the next has it once it is let go', () => {
  const file = join(folder, 'one.sqlite');
  const first = tryFolderLock(file);
  assert.ok(first);
  assert.equal(tryFolderLock(file), null);
  first.release();
  const second = tryFolderLock(file);
  assert.ok(second);
  second.release();
});

test('a process that is killed holds nothing any more', async () => {
  const file = join(folder, 'killed.sqlite');
  const program = `
    const { tryFolderLock } = await import(${JSON.stringify(new URL('./folder-lock.ts', import.meta.url).href)});
    globalThis.lock = tryFolderLock(${JSON.stringify(file)});
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A test that fails must not wait for it for ever.
  after(() => child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  assert.equal(tryFolderLock(file), null);
  if (process.platform === 'linux') {
    const holder = findLockHolder(file);
    assert.equal(holder?.pid, child.pid);
    assert.match(holder?.command ?? '', /^--input-type=module -e /);
  }
  const gone = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await gone;
  const lock = tryFolderLock(file);
  assert.ok(lock);
  lock.release();
  assert.equal(findLockHolder(file), null);
});
