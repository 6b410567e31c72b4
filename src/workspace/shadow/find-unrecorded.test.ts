import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../../test/support/test-repository.ts';
import { takeShadow } from './take-shadow.ts';

const shadow = { task: 'TASK-2026-02-09-001', label: '1/before', atMs: 1_770_000_000_000, findsUnrecorded: true };

test('submodules, nested repositories and empty folders are found, and nothing that git ignores or tracks', async () => {
  const library = new TestRepository();
  library.write('file', 'x\n');
  library.commit('library');
  const repository = new TestRepository();
  for (const path of ['lib', 'deep/lib', 'not-checked-out']) {
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, path);
  }
  repository.write('tracked/file', 'x\n');
  repository.write('.gitignore', 'ignored/\n*.log\n');
  repository.commit('submodules');
  repository.git('submodule', '--quiet', 'deinit', 'not-checked-out');
  const folder = (...path: readonly string[]) => mkdirSync(join(repository.root, ...path), { recursive: true });
  const nested = (path: string) => repository.git('init', '--quiet', join(repository.root, path));
  for (const path of ['other', 'new/inner/repo', 'ignored/repo', 'tracked', 'tracked/repo']) nested(path);
  folder('other', 'empty');
  folder('ignored', 'empty');
  folder('empty');
  folder('new', 'empty', 'ü');
  folder('tracked', 'empty');
  mkdirSync(Buffer.concat([Buffer.from(`${repository.root}/`), Buffer.from([0xff, 0xfe])]));
  repository.write('only/ignored.log', 'x');
  symlinkSync('/', join(repository.root, 'link'));
  const { unrecorded } = await takeShadow(repository.place, shadow);
  assert.deepEqual(unrecorded, {
    repositories: ['deep/lib/', 'lib/', 'new/inner/repo/', 'other/', 'tracked/repo/'],
    emptyFolders: ['empty/', `new/empty/${Buffer.from('ü').toString('latin1')}/`, 'tracked/empty/', '\xff\xfe/'],
  });
});
