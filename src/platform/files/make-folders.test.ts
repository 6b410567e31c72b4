import assert from 'node:assert/strict';
import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../../test/support/data-folder.ts';
import { linesOf, runBaton } from '../../../test/support/run-baton.ts';
import { makeFolders, makeFoldersIn } from './make-folders.ts';

const scratch = scratchFolder('make-folders');

test('missing folders are created with their mode, and existing ones are left alone', () => {
  const path = join(scratch, 'a', 'b', 'c');
  makeFolders(path, 0o700);
  makeFolders(path, 0o755);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  assert.equal(statSync(join(scratch, 'a')).mode & 0o777, 0o700);
});

test('folders below a root are created, and the root never is', () => {
  const root = join(scratch, 'root');
  assert.throws(() => makeFoldersIn(root, join(root, 'a', 'b')), { code: 'ENOENT' });
  assert.equal(existsSync(root), false);
  makeFolders(root);
  for (const path of [join(root, 'a', 'b'), join(root, 'a'), root]) makeFoldersIn(root, path);
  assert.equal(statSync(join(root, 'a', 'b')).mode & 0o777, 0o700);
});

test('a path below a file, or at a link to nothing, is an error', () => {
  writeFileSync(join(scratch, 'file'), '');
  symlinkSync(join(scratch, 'nothing'), join(scratch, 'link'));
  assert.throws(() => makeFolders(join(scratch, 'file', 'x')), { code: 'ENOTDIR' });
  assert.throws(() => makeFolders(join(scratch, 'link')), { code: 'EEXIST' });
});

test('a folder that the file system does not create is refused at once', { timeout: 60_000 }, async (t) => {
  if (!existsSync('/proc/self')) return t.skip('there is no /proc');
  for (const args of ['task new a', 'config set default_agent demo', 'up']) {
    const run = await runBaton(['--data', '/proc/baton-x', ...args.split(' '), '--json']);
    assert.equal(run.status, 2, args);
    assert.equal(linesOf<{ code: string }>(run)[0]?.code, 'ledger_unusable', args);
  }
});
