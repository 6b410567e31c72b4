import assert from 'node:assert/strict';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BATON, runBaton } from '../../support/run-baton.ts';
import { orderRun, output, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-hostile-git');

/** Committed, changed and new files of every sort, part of the history in a pack. */
function mixedRepository(): TestRepository {
  const repository = stage.repository();
  repository.write('src/a.txt', 'one\r\n');
  repository.write('src/b.txt', 'two\n');
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'packed');
  repository.git('gc', '-q');
  repository.write('c.txt', 'three\n');
  repository.commit('loose');
  repository.write('src/b.txt', 'two, changed\n');
  repository.write('new.bin', Buffer.from([0, 1, 254]));
  repository.write('run.sh', '#!/bin/sh\n', 0o750);
  symlinkSync('c.txt', join(repository.root, 'link'));
  return repository;
}

/** The changes of files that each of them makes besides its attack on git. */
const SPOIL = 'echo spoilt > src/a.txt; rm src/b.txt c.txt; echo x > new.bin; echo made > made.txt; rm link run.sh';

const ATTACKS: Readonly<Record<string, string>> = {
  'removes all of .git that it can': 'rm -rf .git/* .git 2>/dev/null',
  'removes every object': 'chmod -R u+w .git/objects; rm -rf .git/objects/*',
  'empties every object': 'find .git/objects -type f -exec chmod u+w {} + -exec truncate -s 0 {} +',
  'removes branches, HEAD, index and the refs of Baton':
    'rm -rf .git/refs .git/packed-refs .git/HEAD .git/index .git/logs',
  'puts pipes in the place of HEAD, index and refs':
    'rm -f .git/HEAD .git/index .git/packed-refs; mkfifo .git/HEAD .git/index .git/packed-refs .git/shallow',
  'borrows objects from a pipe': 'mkdir -p .git/objects/info; mkfifo .git/objects/info/alternates',
  'ignores by itself what it made': 'echo made.txt > .git/info/exclude',
  'makes a pipe of the list of what is ignored': 'rm -f .git/info/exclude; mkfifo .git/info/exclude',
  'makes pipes of the lists in its folders': 'mkfifo .gitignore src/.gitattributes src/.gitignore',
  'plants a repository of its own': 'git init -q src; git -C src config core.fsmonitor "touch ../ran; false"',
  'commits, and then removes what it committed':
    'git add -A; git -c user.name=a -c user.email=a@b commit -qm x; rm -rf .git/objects/*',
  'blocks the path of a later shadow':
    'mkdir -p .git/refs/baton/$BATON_TASK/1/after-1/x .git/refs/baton/$BATON_TASK/1/undo/x; h=$(git hash-object made.txt); mkdir -p .git/objects/$(echo $h | cut -c1-2)/$(echo $h | cut -c3-)/x',
  'leads its objects elsewhere': 'mv .git/objects .git/other; ln -s /tmp .git/objects',
};

/** After these nothing can bring branches and commits back. */
const DESTROYS = new Set([
  'removes all of .git that it can',
  'removes branches, HEAD, index and the refs of Baton',
  'puts pipes in the place of HEAD, index and refs',
]);

test('a file of fifty gigabytes of nothing does not hold a run up, and undo brings back the rest', {
  timeout: 60_000,
  skip: noBubblewrap,
}, async () => {
  const repository = mixedRepository();
  const before = repository.files();
  const objective = `${SPOIL}; truncate -s 50G big.bin; rm readme.md; truncate -s 50G readme.md`;
  const task = { objective, expected_outputs: [output('made.txt')] };
  const { exit, own } = await stage.run(taskFor('runs-a-script', repository.root, { task }));
  assert.equal(exit, 0);
  rmSync(join(repository.root, 'big.bin'));
  rmSync(join(repository.root, 'readme.md'));
  const undo = await stage.data.run(['undo', own.task, '--json']);
  assert.equal(undo.status, 0, undo.stdout + undo.stderr);
  assert.deepEqual(repository.files(), before);
});

describe('an agent that may write all of the workspace', { concurrency: 2, skip: noBubblewrap }, () => {
  for (const [does, attack] of Object.entries(ATTACKS)) {
    test(`${does}: the difference is told, and undo brings every file back`, { timeout: 60_000 }, async () => {
      const repository = mixedRepository();
      const before = repository.files();
      const task = { objective: `${SPOIL}; ${attack}`, expected_outputs: [output('made.txt')] };
      const { exit, own, response } = await stage.run(taskFor('runs-a-script', repository.root, { task }));
      const isDestroyed = DESTROYS.has(does);
      assert.equal(exit, isDestroyed ? 1 : 0, JSON.stringify(response));
      assert.equal(response.error_details?.message.includes('destroyed the repository') ?? false, isDestroyed);
      assert.equal(repository.read('made.txt'), 'made\n');
      const diff = await stage.data.run(['diff', own.task]);
      assert.match(diff.stdout, /made\.txt/, diff.stderr);
      const undo = await stage.data.run(['undo', own.task, '--json']);
      assert.equal(undo.status, 0, undo.stdout + undo.stderr);
      assert.equal(/\.git, which the work destroyed/.test(undo.stdout), isDestroyed, undo.stdout);
      assert.deepEqual(repository.files(), before);
      assert.equal(existsSync(join(repository.root, 'ran')), false);
    });
  }
});

test('without a sandbox, a broken git configuration hides no change and keeps no check from running', {
  timeout: 60_000,
  skip: noBubblewrap,
}, async () => {
  const alone = await RunStage.alone('run-broken-config');
  const repository = alone.repository();
  const before = repository.files();
  const task = { objective: 'echo "[broken" > .git/config; echo a > a.txt' };
  const message = alone.write(taskFor('runs-a-script', repository.root, { task }));
  // The program of the sandbox is hidden from the whole command.
  const unheld = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap', '--', BATON];
  const words = ['run', message, '--check', 'test -f a.txt', '--json', '--data', alone.data.path];
  const run = orderRun(await runBaton([...unheld, ...words], { program: 'bwrap' }));
  assert.equal(run.exit, 0, run.stdout + run.stderr);
  const undo = await alone.data.run(['undo', run.own.task, '--json']);
  assert.equal(undo.status, 0, undo.stdout + undo.stderr);
  assert.deepEqual(repository.files(), before);
});
