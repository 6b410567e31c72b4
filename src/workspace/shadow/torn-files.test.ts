import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../../test/support/data-folder.ts';
import { TestRepository } from '../../../test/support/test-repository.ts';
import { changedFiles } from '../diff-shadows.ts';
import { keepRules, RULES_FOLDER } from '../executed-by-git/ignore-rules.ts';
import { undoRun } from '../undo/undo-run.ts';
import { takeShadow } from './take-shadow.ts';
import { findTornFiles } from './torn-files.ts';

const task = 'TASK-2026-02-09-001';
const atMs = 1_770_000_000_000;

async function workOn(repository: TestRepository) {
  const before = await takeShadow(repository.place, { task, label: '1/before', atMs });
  repository.write('readme.md', 'one\nchanged\nthree\n');
  repository.write('new.txt', 'new\n');
  const after = await takeShadow(repository.place, { task, label: '1/after', atMs, basis: before.commit });
  return { before, after };
}

/** Every file that Baton wrote beside the objects, which git checks itself. */
function filesBeside(keptFolder: string): string[] {
  const entries = readdirSync(keptFolder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\/objects(\/|$)/.test(entry.parentPath) && entry.name !== 'read-at')
    .map((entry) => join(entry.parentPath, entry.name));
}

const TEARS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'cut to nothing': () => Buffer.alloc(0),
  'cut in half': (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)),
  overwritten: () => Buffer.from('\0\x01 not what Baton wrote ü\n'),
};

for (const [how, tear] of Object.entries(TEARS))
  test(`shadow, diff and undo work with each of Baton's files ${how}`, async () => {
    const repository = new TestRepository();
    repository.write('.gitignore', '*.log\n');
    repository.commit('rules');
    await workOn(repository);
    const { keptFolder } = repository.place;
    for (const file of filesBeside(keptFolder)) {
      repository.git('checkout', '-q', '.');
      repository.git('clean', '-fdq');
      const { before, after } = await workOn(repository);
      assert.deepEqual(findTornFiles(keptFolder), [], 'nothing is torn yet');
      const bytes = readFileSync(file);
      if (bytes.length === 0) continue;
      writeFileSync(file, tear(bytes));
      const name = relative(keptFolder, file);
      const isListed = findTornFiles(keptFolder).length > 0;
      assert.ok(isListed || /exclude|shallow|baton-draft/.test(name), `${name} is not noticed`);
      const changes = await changedFiles(repository.place, { before: before.commit, after: after.commit });
      assert.deepEqual(
        changes.map(({ path }) => path),
        ['new.txt', 'readme.md'],
        name,
      );
      writeFileSync(file, tear(bytes));
      const refs = { before: before.ref, after: after.ref };
      const order = { task, label: '1/undo', before: before.commit, after: after.commit, isKept: false, atMs, refs };
      const undone = await undoRun(repository.place, order);
      assert.equal(undone.kind, 'undone', `${name}: ${JSON.stringify(undone)}`);
      assert.equal(readFileSync(join(repository.root, 'readme.md'), 'utf8'), 'one\ntwo\nthree\n', name);
      assert.equal(statSync(join(repository.root, 'new.txt'), { throwIfNoEntry: false }), undefined, name);
      const left = findTornFiles(keptFolder).map(({ path }) => path);
      assert.ok(
        left.every((path) => path === file),
        `${name}: ${left}`,
      );
      // A name or a note of an earlier commit is not written again by this shadow.
      if (left.length > 0) writeFileSync(file, bytes);
    }
  });

test('the folder of ignore rules is not taken for a torn git folder', () => {
  const dataFolder = scratchFolder('ignore-rules');
  keepRules(dataFolder, 'build/\n');
  assert.deepEqual(readdirSync(join(dataFolder, 'shadows')), [RULES_FOLDER]);
  assert.deepEqual(findTornFiles(join(dataFolder, 'shadows')), []);
});
