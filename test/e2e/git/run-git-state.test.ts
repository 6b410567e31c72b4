import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Receipt } from '../../../src/checks/receipt.ts';
import type { BatonRun } from '../../support/run-baton.ts';
import { type OrderRun, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-git-state');
const AS = 'git -c user.name=agent -c user.email=agent@example';

interface GitWords {
  readonly git_changes: readonly {
    readonly kind: string;
    readonly name: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

async function work({ root }: TestRepository, objective: string, ...flags: string[]): Promise<OrderRun> {
  return await stage.run(taskFor('runs-a-script', root, { task: { objective } }), ...flags);
}

function changes({ own }: OrderRun): readonly string[] {
  return (own as unknown as GitWords).git_changes.map(({ kind, name }) => `${kind} ${name}`);
}

function warnings({ response }: OrderRun): string {
  return response.execution_summary?.warnings?.join('\n') ?? '';
}

/** Everything about git that a person calls theirs; logs aside, which only grow. */
function gitOf(repository: TestRepository): Record<string, string> {
  const refs = ['refs/heads', 'refs/tags', 'refs/notes', 'refs/replace', 'refs/stash'];
  return {
    head: readFileSync(join(repository.root, '.git/HEAD'), 'utf8'),
    refs: repository.git('for-each-ref', '--format=%(refname) %(objectname)', ...refs),
    index: repository.git('ls-files', '--stage', '--debug').replace(/^ {2}(?!.*flags).*$/gm, ''),
    stash: repository.git('stash', 'list', '--format=%H %gs'),
    merging: String(existsSync(join(repository.root, '.git/MERGE_HEAD'))),
    status: repository.git('status', '--porcelain', '--untracked-files=all'),
  };
}

/** A repository with a branch, a tag, a stash and a staged file of its own. */
function lived(): TestRepository {
  const repository = stage.repository();
  repository.git('branch', 'old');
  repository.git('tag', 'v1');
  repository.write('readme.md', 'one\ntwo\nthree\nstashed\n');
  repository.git('stash', 'push', '-q', '-m', 'mine');
  repository.write('staged.txt', 'staged\n');
  repository.git('add', 'staged.txt');
  return repository;
}

function undo(task: string, ...flags: string[]): Promise<BatonRun> {
  return stage.data.run(['undo', task, ...flags]);
}

describe('git itself, in place', { concurrency: 2, skip: noBubblewrap }, () => {
  const DEEDS: Readonly<Record<string, readonly [script: string, told: readonly string[]]>> = {
    'commits to main': [`echo a > a.txt; git add a.txt; ${AS} commit -qm mine`, ['branch main', 'index']],
    'makes a branch and switches to it': ['git switch -qc feature/x', ['head feature/x', 'branch feature/x']],
    'leaves HEAD without a branch': ['git checkout -q --detach', ['head detached']],
    'removes a branch and a tag': ['git branch -qD old; git tag -d v1', ['branch old', 'tag v1']],
    'tags and stages': ['git tag v2; echo b > b.txt; git add b.txt', ['tag v2', 'index']],
    'unstages and stashes': [`git reset -q; echo c >> readme.md; ${AS} stash push -q`, ['stash', 'index']],
    'drops the stash': ['git stash drop -q', ['stash']],
    'puts a folder of branches in the place of a branch': [
      'git branch -qD old; git branch old/er',
      ['branch old', 'branch old/er'],
    ],
    'leaves a merge unfinished': [
      `git switch -qc other; echo x > readme.md; git add readme.md; ${AS} commit -qm x; git switch -q main; echo y > readme.md; git add readme.md; ${AS} commit -qm y; ${AS} merge -q other`,
      ['branch main', 'branch other', 'index', 'operation merge'],
    ],
    'hides later changes of files from git status': [
      'git update-index --assume-unchanged readme.md; git update-index --skip-worktree staged.txt',
      ['index readme.md (assume-unchanged: git overlooks its changes), staged.txt (skip-worktree'],
    ],
    'replaces an object': [
      `b=$(git hash-object -w /dev/null); git replace "$(git rev-parse HEAD:readme.md)" "$b"`,
      ['ref'],
    ],
  };

  for (const [does, [script, told]] of Object.entries(DEEDS)) {
    test(`an agent that ${does} is told of, and undone exactly`, { timeout: 240_000 }, async () => {
      const repository = lived();
      const before = gitOf(repository);
      const run = await work(repository, script);
      const worked = gitOf(repository);
      assert.notDeepEqual(worked, before, 'the agent did something');
      const found = changes(run);
      for (const one of told)
        assert.ok(
          found.some((name) => name.startsWith(one)),
          `${one} in ${found}`,
        );
      assert.equal(found.length, told.length, `${found}`);
      assert.match(warnings(run), /^git: /m);
      const receipt = JSON.parse(readFileSync(run.own.receipt ?? '', 'utf8')) as Receipt;
      assert.equal(receipt.gitChanges?.length, told.length);
      const undone = await undo(run.own.task);
      assert.equal(undone.status, 0, undone.stderr);
      assert.deepEqual(gitOf(repository), before);
      const applied = await stage.data.run(['apply', run.own.task]);
      assert.equal(applied.status, 0, applied.stderr);
      assert.deepEqual(gitOf(repository), worked, 'apply brings it back');
      for (const again of [1, 2]) assert.equal((await undo(run.own.task)).status, 0, `undo, time ${again}`);
      assert.deepEqual(gitOf(repository), before);
    });
  }

  test('a person reads it, and commits that were taken back can be found', { timeout: 240_000 }, async () => {
    const repository = lived();
    stage.configure({
      agents: { commits: { driver: 'process', command: ['sh', '-c', `echo a > a; git add a; ${AS} commit -qm did`] } },
    });
    const run = ['run', 'commit it', '--agent', 'commits', '--workspace', repository.root, '--yes'];
    const { stdout, stderr } = await stage.data.run(run);
    const commit = repository.git('rev-parse', 'main');
    const said = stdout + stderr;
    assert.match(said, /git: the branch main moved from [0-9a-f]{12} to [0-9a-f]{12} \(1 commit\)/);
    const task = /TASK-[\d-]+/.exec(said)?.[0] ?? '';
    for (const look of ['diff', 'task show']) {
      const shown = await stage.data.run([...look.split(' '), task]);
      assert.match(shown.stdout, /git: the branch main moved/, look);
    }
    const undone = await undo(task);
    assert.match(undone.stdout, /the branch main/);
    assert.equal(repository.git('rev-parse', 'main~0'), repository.git('rev-parse', 'v1'));
    const [, command = ''] = /: (git branch NAME \S+) keeps it/.exec(undone.stdout) ?? [];
    repository.git(...command.replace('NAME', 'kept').split(' ').slice(1));
    assert.equal(repository.git('rev-parse', 'kept'), commit, undone.stdout);
  });

  test('a rebase that a person began is told of when an agent ends it, and goes on after undo', {
    timeout: 240_000,
  }, async () => {
    const repository = stage.repository();
    repository.git('switch', '-qc', 'topic');
    repository.write('readme.md', 'topic\n');
    repository.commit('topic');
    repository.write('later.txt', 'later\n');
    repository.commit('later');
    repository.git('switch', '-q', 'main');
    repository.write('readme.md', 'main\n');
    repository.commit('main');
    const rebase = (...words: string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'rebase', ...words], { cwd: repository.root });
    assert.notEqual(rebase('main', 'topic').status, 0, 'a conflict');
    const before = gitOf(repository);
    const run = await work(repository, 'git rebase --abort');
    assert.ok(changes(run).includes('operation rebase'), `${changes(run)}`);
    assert.equal((await undo(run.own.task)).status, 0);
    assert.deepEqual(gitOf(repository), before);
    assert.equal((await stage.data.run(['apply', run.own.task])).status, 0);
    assert.equal(existsSync(join(repository.root, '.git/rebase-merge')), false, 'apply ends it again');
    assert.equal((await undo(run.own.task)).status, 0);
    repository.write('readme.md', 'both\n');
    repository.git('add', 'readme.md');
    assert.equal(rebase('--skip').status, 0, 'it continues');
    assert.equal(repository.git('show', 'topic:later.txt'), 'later');
  });

  test('a plain run tells nothing about git', { timeout: 240_000 }, async () => {
    const repository = lived();
    const run = await work(repository, 'echo a > a.txt; git status -s; git diff; git log --oneline; touch readme.md');
    assert.deepEqual(changes(run), []);
    assert.doesNotMatch(warnings(run), /^git: /m);
  });

  test('a branch that a person moved since is refused by name, and left with --keep', {
    timeout: 240_000,
  }, async () => {
    const repository = lived();
    const { own } = await work(repository, `echo a > a.txt; git add a.txt; ${AS} commit -qm mine; git tag v2`);
    repository.write('b.txt', 'b\n');
    repository.git('add', 'b.txt');
    repository.git('commit', '-q', '-m', "the person's own");
    const mine = repository.git('rev-parse', 'main');
    const refused = await undo(own.task);
    assert.equal(refused.status, 2, refused.stdout);
    assert.match(refused.stderr, /the branch main/);
    assert.match(refused.stderr, /^try: baton undo TASK\S+ --keep /m);
    assert.ok(existsSync(join(repository.root, 'a.txt')), 'nothing was changed');
    assert.match(repository.git('tag'), /v2/);
    const kept = await undo(own.task, '--keep');
    assert.equal(kept.status, 0, kept.stderr);
    assert.match(kept.stdout, /left as (it is|they are).*the branch main/s);
    assert.equal(repository.git('rev-parse', 'main'), mine);
    assert.equal(repository.git('tag'), 'v1');
    assert.deepEqual([existsSync(join(repository.root, 'a.txt')), repository.read('b.txt')], [false, 'b\n']);
    assert.match(repository.git('status', '--porcelain'), /^ ?D a\.txt$/m);
  });

  test('what a person staged since stays staged', { timeout: 240_000 }, async () => {
    const repository = lived();
    const { own } = await work(repository, 'echo a > a.txt; git add a.txt');
    repository.write('b.txt', 'b\n');
    repository.git('add', 'b.txt');
    const undone = await undo(own.task);
    assert.equal(undone.status, 0, undone.stderr);
    assert.equal(repository.git('status', '--porcelain'), 'A  b.txt\nA  staged.txt');
  });

  test('work that a person committed is undone in the files, and the commit stays', { timeout: 240_000 }, async () => {
    const repository = lived();
    const { own } = await work(repository, 'echo a > a.txt; git add a.txt');
    const mine = repository.commit('taken over');
    const undone = await undo(own.task);
    assert.equal(undone.status, 0, undone.stderr);
    assert.equal(repository.git('rev-parse', 'HEAD'), mine);
    assert.equal(repository.git('status', '--porcelain'), 'D a.txt');
  });

  test('an undo runs no hook, and a locked index is left alone', { timeout: 240_000 }, async () => {
    const repository = lived();
    const { own } = await work(repository, `echo a > a.txt; git add a.txt; ${AS} commit -qm mine`);
    const mark = join(stage.folder, 'hook-ran');
    for (const name of ['reference-transaction', 'post-checkout', 'post-index-change', 'pre-commit']) {
      const hook = join(repository.root, '.git/hooks', name);
      mkdirSync(join(hook, '..'), { recursive: true });
      writeFileSync(hook, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    }
    const lock = join(repository.root, '.git/index.lock');
    writeFileSync(lock, '');
    const refused = await undo(own.task);
    assert.equal(refused.status, 2, refused.stdout);
    assert.match(refused.stderr, /index\.lock/);
    assert.ok(existsSync(join(repository.root, 'a.txt')));
    execFileSync('rm', [lock]);
    const undone = await undo(own.task);
    assert.equal(undone.status, 0, undone.stderr);
    assert.equal(existsSync(mark), false);
  });

  test('files are undone although git itself is gone', { timeout: 240_000 }, async () => {
    const repository = lived();
    const { own } = await work(repository, 'echo a > a.txt; rm -rf .git/refs .git/index .git/logs');
    const undone = await undo(own.task, '--keep');
    assert.equal(undone.status, 0, undone.stderr);
    assert.equal(existsSync(join(repository.root, 'a.txt')), false);
  });
});

describe('git itself, in a worktree', { concurrency: 2, skip: noBubblewrap }, () => {
  const COMMITS = `echo a > a.txt; git add a.txt; ${AS} commit -qm one; echo b > a.txt; ${AS} commit -qam two; echo c > c.txt`;

  test("an agent's own commits are kept, and applied as commits", { timeout: 240_000 }, async () => {
    const repository = lived();
    const before = gitOf(repository);
    const run = await work(repository, COMMITS, '--worktree');
    assert.match(
      warnings(run),
      /git: 2 commits by the agent: baton apply TASK-[\d-]+ --branch NAME --commits keeps them/,
    );
    assert.deepEqual(gitOf(repository), before, 'the repository knows nothing of it');
    assert.equal((await stage.data.run(['discard', run.own.task])).status, 0);
    const applied = await stage.data.run(['apply', run.own.task, '--branch', 'theirs', '--commits']);
    assert.equal(applied.status, 0, applied.stderr);
    const log = repository.git('log', '--format=%an %s', 'main..theirs').split('\n');
    assert.deepEqual(log.slice(1), ['agent two', 'agent one']);
    assert.match(log[0] ?? '', /^test@example /);
    assert.deepEqual([repository.git('show', 'theirs:a.txt'), repository.git('show', 'theirs:c.txt')], ['b', 'c']);
    repository.git('fsck', '--full', '--strict');
    const one = await stage.data.run(['apply', run.own.task, '--branch', 'mine']);
    assert.equal(one.status, 0, one.stderr);
    assert.equal(repository.git('rev-list', '--count', 'main..mine'), '1');
    assert.equal(repository.git('rev-parse', 'mine^{tree}'), repository.git('rev-parse', 'theirs^{tree}'));
  });

  test('without commits of its own, --commits is refused', { timeout: 240_000 }, async () => {
    const repository = lived();
    const { own } = await work(repository, 'echo a > a.txt', '--worktree');
    const refused = await stage.data.run(['apply', own.task, '--branch', 'theirs', '--commits']);
    assert.equal(refused.status, 2, refused.stdout);
    assert.match(refused.stderr, /made no commits/);
    assert.equal((await stage.data.run(['apply', own.task, '--commits'])).status, 2);
  });

  test('commits that were taken back in place can be applied as commits', { timeout: 240_000 }, async () => {
    const repository = lived();
    repository.commit('clean');
    const { own } = await work(repository, COMMITS);
    assert.equal((await undo(own.task)).status, 0);
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '-q', '--prune=now');
    const applied = await stage.data.run(['apply', own.task, '--branch', 'theirs', '--commits']);
    assert.equal(applied.status, 0, applied.stderr);
    assert.equal(repository.git('log', '--format=%s', 'main..theirs~1'), 'two\none');
  });
});
