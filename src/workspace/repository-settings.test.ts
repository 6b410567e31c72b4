import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../test/support/test-repository.ts';
import { booleanSetting, objectFormat, readRepositorySettings } from './repository-settings.ts';

function settingsOf({ root }: TestRepository) {
  return readRepositorySettings({ gitDir: join(root, '.git'), workTree: root });
}

test('every way to write a boolean is read as git reads it, and the last one counts', async () => {
  const repository = new TestRepository();
  const config = join(repository.root, '.git', 'config');
  for (const [text, value] of [
    ['symlinks', true],
    ['symlinks = ', false],
    ['symlinks = Yes', true],
    ['symlinks = off', false],
    ['symlinks = 1', true],
    ['symlinks = true\n\tsymlinks = no', false],
    ['symlinks = maybe', null],
  ] as const) {
    writeFileSync(config, `[core]\n\trepositoryformatversion = 0\n\t${text}\n`);
    assert.equal(booleanSetting(await settingsOf(repository), 'core.symlinks'), value, text);
  }
});

test('what a repository includes is its own, and what Baton sets for a call is not', async () => {
  const repository = new TestRepository();
  writeFileSync(join(repository.root, '.git', 'more'), '[Filter "A.b"]\n\tclean = "one\\ntwo"\n');
  repository.git('config', 'include.path', 'more');
  const { own } = await settingsOf(repository);
  assert.equal(own.get('filter.A.b.clean'), 'one\ntwo');
  assert.equal(own.get('core.hookspath'), undefined);
});

test('the names of objects are told for both formats', async () => {
  assert.equal(objectFormat(await settingsOf(new TestRepository())), 'sha1');
  assert.equal(objectFormat(await settingsOf(new TestRepository({ objectFormat: 'sha256' }))), 'sha256');
});
