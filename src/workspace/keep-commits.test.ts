import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { TestRepository, testFolder } from '../../test/support/test-repository.ts';
import { findRepository } from './find-repository.ts';
import { keepCommits } from './keep-commits.ts';
import { takeShadow } from './shadow/take-shadow.ts';

const task = 'TASK-2026-02-09-001';

test('the commits that an agent made in a shallow clone are kept', async () => {
  const origin = new TestRepository();
  for (const turn of ['one', 'two', 'three']) {
    origin.write('file', turn);
    origin.commit(turn);
  }
  const root = `${testFolder()}/clone`;
  execFileSync('git', ['clone', '-q', '--depth=1', `file://${origin.root}`, root]);
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
  const repository = findRepository(root);
  assert.ok(repository);
  const place = { repository, root: repository.root, dataFolder: testFolder(), keptFolder: testFolder() };
  const { head: base } = await takeShadow(place, { task, label: '1/before', atMs: 1 });
  for (const name of ['a', 'b']) {
    execFileSync('touch', [`${root}/${name}`]);
    git('add', '-A');
    git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-q', '-m', name);
  }
  const kept = await keepCommits(place, { base, repository, ref: `refs/baton/${task}/1/commits` });
  assert.deepEqual(kept, { tip: git('rev-parse', 'HEAD'), count: 2 });
});
