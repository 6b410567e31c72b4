import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Receipt } from '../../../src/checks/receipt.ts';
import { type OrderRun, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-nested');

/** A repository with a submodule in `lib`, another repository in `other`, and an edit of the person in each. */
function project(): TestRepository {
  const library = stage.repository();
  library.write('s', 'one\n');
  library.write('d/t', 'tee\n');
  library.commit('library');
  const repository = stage.repository();
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
  repository.commit('submodule');
  const other = join(repository.root, 'other');
  repository.write('other/o', 'oh\n');
  repository.git('init', '--quiet', other);
  repository.git('-C', other, '-c', 'user.name=P', '-c', 'user.email=p@p', 'commit', '-q', '--allow-empty', '-m', 'o');
  repository.write('lib/s', 'one\nmine\n');
  repository.git('-C', 'lib', 'add', 's');
  repository.write('lib/untracked', 'mine too\n');
  return repository;
}

async function work({ root }: TestRepository, objective: string): Promise<OrderRun> {
  return await stage.run(taskFor('runs-a-script', root, { task: { objective } }));
}

function warnings({ response }: OrderRun): string {
  return response.execution_summary?.warnings?.join('\n') ?? '';
}

/** Everything that a person would miss. */
function stateOf(repository: TestRepository) {
  const read = (name: string) => (existsSync(join(repository.root, name)) ? repository.read(name) : null);
  const nested = ['lib', 'other'].map((path) => [
    repository.git('-C', path, 'log', '--format=%H', '--all'),
    repository.git('-C', path, 'status', '--porcelain=v2', '--branch', '--untracked-files=all'),
  ]);
  return [nested, ...['lib/s', 'lib/d/t', 'lib/untracked', 'lib/n', 'other/o', 'other/n'].map(read)];
}

describe('repositories inside of a workspace', { concurrency: 2, skip: noBubblewrap }, () => {
  test('files and commits of an agent in them are told and undone, and edits of a person stay', {
    timeout: 240_000,
  }, async () => {
    const repository = project();
    const before = stateOf(repository);
    const commit = 'git add -A && git -c user.name=A -c user.email=a@a commit -qm agent';
    const script = `echo x > lib/s; rm lib/d/t lib/untracked; echo n > lib/n; (cd lib; ${commit}); echo x > other/o; (cd other; ${commit}; echo n > n)`;
    const run = await work(repository, script);
    const worked = stateOf(repository);
    assert.match(
      warnings(run),
      /^in the repository lib: 1 file changed, 2 files removed, 1 file new \(s, d\/t, untracked\), saved$/m,
    );
    assert.match(warnings(run), /^in the repository lib: the branch \w+ moved from \w+ to \w+ \(1 commit\)$/m);
    assert.match(warnings(run), /^in the repository other: 1 file changed, 1 file new \(o\), saved$/m);
    assert.doesNotMatch(run.stderr, /no file was changed/);
    const receipt = JSON.parse(readFileSync(run.own.receipt ?? '', 'utf8')) as Receipt;
    assert.ok(receipt.ignoredChanges?.some(({ path, repository: where }) => path === 'lib/s' && where === 'lib/'));
    const undone = await stage.data.run(['undo', run.own.task]);
    assert.equal(undone.status, 0, undone.stderr);
    assert.deepEqual(stateOf(repository), before);
    assert.match(undone.stdout, /of lib was at \w+: git -C '.+\/lib' branch NAME \w+ keeps it/);
    const aside = /before the undo is in (.+)$/m.exec(undone.stdout)?.[1] ?? '';
    assert.equal(readFileSync(join(aside, 'lib/s'), 'utf8'), 'x\n');
    assert.equal((await stage.data.run(['undo', run.own.task])).status, 0, 'a second undo has nothing to do');
    const applied = await stage.data.run(['apply', run.own.task]);
    assert.equal(applied.status, 0, applied.stderr);
    assert.deepEqual(stateOf(repository), worked, 'apply brings back what the undo took back');
  });

  test('a submodule that was emptied is put back; one that a person changed since is refused by name', {
    timeout: 240_000,
  }, async () => {
    const repository = project();
    const before = stateOf(repository);
    const run = await work(repository, 'rm -rf lib/s lib/d lib/untracked; true');
    repository.write('lib/s', 'written since\n');
    const refused = await stage.data.run(['undo', run.own.task]);
    assert.equal(refused.status, 2, refused.stdout);
    assert.match(refused.stderr, /lib\/s/);
    assert.equal(existsSync(join(repository.root, 'lib/d')), false, 'a refused undo changes nothing');
    const undone = await stage.data.run(['undo', run.own.task, '--keep']);
    assert.equal(undone.status, 0, undone.stderr);
    assert.deepEqual(stateOf(repository), before);
    const aside = /before the undo is in (.+)$/m.exec(undone.stdout)?.[1] ?? '';
    assert.equal(readFileSync(join(aside, 'lib/s'), 'utf8'), 'written since\n');
  });

  test('files of a large one that cannot be put back are told by their folder and numbers', {
    timeout: 240_000,
  }, async () => {
    const repository = project();
    for (let at = 0; at < 1_100; at += 1) repository.write(`lib/big/f${at}`, `${at}\n`);
    const run = await work(repository, 'rm lib/big/f1 lib/big/f2; echo x > lib/s');
    assert.match(warnings(run), /^in the repository lib: 1 file changed \(s\), saved$/m);
    assert.match(warnings(run), /^in the repository lib: 2 files removed \(big\/\), not saved$/m);
    const undone = await stage.data.run(['undo', run.own.task]);
    assert.equal(repository.read('lib/s'), 'one\nmine\n');
    assert.match(undone.stdout, /lib\/big: 2 of 1,100 files removed, not saved/);
  });

  test('empty folders that went are made again, and new ones go', { timeout: 240_000 }, async () => {
    const repository = stage.repository();
    mkdirSync(join(repository.root, 'inbox'), { mode: 0o710 });
    mkdirSync(join(repository.root, 'kept/inner'), { recursive: true });
    const run = await work(repository, 'rmdir inbox; mkdir -p made/deep kept/inner/more; echo 1 > kept/file');
    assert.match(warnings(run), /^empty folders removed: inbox$/m);
    assert.match(warnings(run), /^new empty folders: kept\/inner\/more, made\/deep$/m);
    const undone = await stage.data.run(['undo', run.own.task]);
    assert.equal(undone.status, 0, undone.stderr);
    assert.equal(statSync(join(repository.root, 'inbox')).mode & 0o777, 0o710);
    assert.equal(existsSync(join(repository.root, 'made')), false);
    rmdirSync(join(repository.root, 'kept/inner'));
  });
});
