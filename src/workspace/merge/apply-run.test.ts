import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository, testFolder } from '../../../test/support/test-repository.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { takeShadow } from '../shadow/take-shadow.ts';
import { applyRun } from './apply-run.ts';
import { branchRun } from './branch-run.ts';

const task = 'TASK-2026-02-09-001';
const atMs = 1_770_000_000_000;

/** Work done in a copy of HEAD elsewhere, as a run in a worktree does it. */
async function runElsewhere(repository: TestRepository, work: (root: string) => void) {
  const root = testFolder();
  const head = repository.git('rev-parse', 'HEAD');
  execFileSync('sh', ['-c', 'git archive HEAD | tar -x -C "$0"', root], { cwd: repository.root });
  const place = { ...repository.place, root, head };
  const before = await takeShadow(place, { task, label: '1/before', atMs });
  work(root);
  const after = await takeShadow(place, { task, label: '1/after', atMs, basis: before.commit });
  return { task, label: '1/apply', before: before.commit, after: after.commit, head, atMs };
}

test('the work of a run elsewhere comes into a dirty tree, uncommitted, beside what is there', async () => {
  const repository = new TestRepository();
  repository.write('text', 'a\nb\nc\nd\ne\nf\ng\nh\n');
  repository.write('gone', '1');
  repository.commit('text');
  const order = await runElsewhere(repository, (root) => {
    writeFileSync(join(root, 'text'), 'a\nb\nc\nd\ne\nf\ng\nagent\n');
    mkdirSync(join(root, 'new folder'));
    writeFileSync(join(root, 'new folder', 'run'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync('text', join(root, 'link'));
    rmSync(join(root, 'gone'));
  });
  repository.write('text', 'mine\nb\nc\nd\ne\nf\ng\nh\n');
  repository.git('add', 'text');
  repository.write('untracked', 'mine');
  const index = repository.fingerprint()['.git/index'];
  const applied = await applyRun(repository.place, order);
  assert.ok(!isRefusal(applied), JSON.stringify(applied));
  assert.deepEqual(
    applied.files.map(({ path }) => path),
    ['gone', 'link', 'new folder/run', 'text'],
  );
  assert.equal(repository.read('text'), 'mine\nb\nc\nd\ne\nf\ng\nagent\n');
  const files = repository.files();
  assert.match(files['new folder/run'] ?? '', /^755 /);
  assert.equal(files['link'], 'link text');
  assert.deepEqual([files['gone'], repository.read('untracked')], [undefined, 'mine']);
  assert.equal(repository.fingerprint()['.git/index'], index);
  assert.equal(repository.git('rev-parse', 'HEAD'), order.head);
  const again = await applyRun(repository.place, order);
  assert.deepEqual(again, { kind: 'applied', files: [] });
});

test('on a conflict nothing is applied, and the files are named', async () => {
  const repository = new TestRepository();
  repository.write('fine', '1\n');
  repository.commit('fine');
  const order = await runElsewhere(repository, (root) => {
    writeFileSync(join(root, 'readme.md'), 'agent\n');
    writeFileSync(join(root, 'fine'), '2\n');
    writeFileSync(join(root, 'new "file"'), 'agent\n');
  });
  repository.write('readme.md', 'mine\n');
  repository.write('new "file"', 'mine\n');
  const theirs = repository.fingerprint();
  const refused = await applyRun(repository.place, order);
  assert.ok(isRefusal(refused));
  assert.deepEqual([refused.code, refused.details], ['merge_conflict', ['new "file"', 'readme.md']]);
  assert.deepEqual(repository.fingerprint(), theirs);
});

test('an ignored file in the way is a conflict, not overwritten', async () => {
  const repository = new TestRepository();
  const order = await runElsewhere(repository, (root) => writeFileSync(join(root, 'secret'), 'agent'));
  repository.write('.git/info/exclude', 'secret\n');
  repository.write('secret', 'mine');
  const refused = await applyRun(repository.place, order);
  assert.ok(isRefusal(refused));
  assert.deepEqual([refused.details, repository.read('secret')], [['secret'], 'mine']);
});

test('a merge driver that the repository names is not run', async () => {
  const repository = new TestRepository();
  const trap = join(repository.root, '.git', 'trap');
  repository.write('.gitattributes', '* merge=evil filter=evil\n');
  repository.write('text', 'a\nb\nc\nd\ne\nf\ng\nh\n');
  repository.commit('text');
  const order = await runElsewhere(repository, (root) => writeFileSync(join(root, 'text'), 'a\nb\nc\nd\ne\nf\ng\nX\n'));
  repository.write('text', 'Y\nb\nc\nd\ne\nf\ng\nh\n');
  repository.git('config', 'merge.evil.driver', `touch "${trap}"`);
  repository.git('config', 'filter.evil.smudge', `touch "${trap}"; cat`);
  assert.equal((await applyRun(repository.place, order)).kind, 'applied');
  assert.equal(repository.read('text'), 'Y\nb\nc\nd\ne\nf\ng\nX\n');
  assert.throws(() => rmSync(trap));
});

test('a branch gets one commit on the base, and the checkout stays as it is', async () => {
  const repository = new TestRepository();
  const order = await runElsewhere(repository, (root) => writeFileSync(join(root, 'readme.md'), 'agent\n'));
  repository.write('readme.md', 'mine, in conflict\n');
  const theirs = repository.fingerprint();
  const wanted = { ...order, branch: 'baton/ünï', message: 'add tests\n\nBody.', tip: null };
  const branched = await branchRun(repository.place, wanted);
  assert.ok(!isRefusal(branched), JSON.stringify(branched));
  assert.equal(repository.git('rev-parse', 'baton/ünï'), branched.commit);
  assert.equal(repository.git('rev-parse', `${branched.commit}^`), order.head);
  assert.equal(repository.git('show', '-s', '--format=%s', branched.commit), 'add tests');
  assert.equal(repository.git('cat-file', 'blob', `${branched.commit}:readme.md`), 'agent');
  const { '.git/refs/heads/baton/ünï': made, ...rest } = repository.fingerprint();
  assert.ok(made);
  assert.deepEqual(rest, theirs);
  const refused = await branchRun(repository.place, wanted);
  assert.ok(isRefusal(refused));
  assert.equal(refused.code, 'branch_exists');
});

test('a branch is committed by the user, with Baton as co-author', async () => {
  const repository = new TestRepository();
  repository.git('config', 'user.name', 'Jane Doe');
  repository.git('config', 'user.email', 'jane@example.org');
  const order = await runElsewhere(repository, (root) => writeFileSync(join(root, 'readme.md'), 'agent\n'));
  const message = 'add tests\n\nBaton-Task: TASK-1\n';
  const branched = await branchRun(repository.place, { ...order, branch: 'work', message, tip: null });
  assert.ok(!isRefusal(branched));
  const format = '%an <%ae>%n%cn <%ce>%n%(trailers:only,unfold)';
  const [author, committer, ...trailers] = repository.git('show', '-s', `--format=${format}`, 'work').split('\n');
  assert.deepEqual([author, committer], ['Jane Doe <jane@example.org>', 'Jane Doe <jane@example.org>']);
  assert.deepEqual(trailers, ['Baton-Task: TASK-1', 'Co-authored-by: Baton <baton@localhost>']);
});

test('a branch is whole without Baton, and is refused where the commit it starts from is gone', async () => {
  const repository = new TestRepository();
  for (let number = 0; number < 20; number++) repository.write(`lib/${number}`, `${number}\n`);
  repository.commit('lib');
  const order = await runElsewhere(repository, (root) => {
    writeFileSync(join(root, 'lib/7'), 'agent');
    writeFileSync(join(root, 'new'), 'agent');
  });
  const wanted = { ...order, message: 'm', tip: null };
  assert.ok(!isRefusal(await branchRun(repository.place, { ...wanted, branch: 'work' })));
  repository.git('fsck', '--full', '--strict');
  assert.equal(repository.git('diff', '--name-only', 'main', 'work'), 'lib/7\nnew');
  repository.git('branch', '-q', '-D', 'work');
  repository.git('commit', '-q', '--amend', '-m', 'amended');
  repository.git('reflog', 'expire', '--expire=now', '--all');
  repository.git('gc', '-q', '--prune=now');
  const refused = await branchRun(repository.place, { ...wanted, branch: 'again' });
  assert.ok(isRefusal(refused));
  assert.match(refused.message, /^the commit [0-9a-f]{12} that the work started from is no longer in the repository$/);
  assert.equal((await applyRun(repository.place, order)).kind, 'applied');
});

test('what is no name for a branch is refused', async () => {
  const repository = new TestRepository();
  const order = await runElsewhere(repository, (root) => writeFileSync(join(root, 'a'), '1'));
  for (const branch of ['', '-d', 'a..b', 'a b', '@{-1}', 'refs/../x', 'a.lock', 'HEAD']) {
    const refused = await branchRun(repository.place, { ...order, branch, message: 'm', tip: null });
    assert.ok(isRefusal(refused), branch);
    assert.equal(refused.code, 'invalid_argument');
  }
});

test('the branch of a run in a dirty tree has the work of the run alone', async () => {
  const repository = new TestRepository();
  repository.write('mine', 'not committed');
  const before = await takeShadow(repository.place, { task, label: '1/before', atMs });
  repository.write('agent', 'work');
  const after = await takeShadow(repository.place, { task, label: '1/after', atMs, basis: before.commit });
  const order = { task, before: before.commit, after: after.commit, head: before.head, atMs };
  const branched = await branchRun(repository.place, { ...order, branch: 'work', message: 'm', tip: null });
  assert.ok(!isRefusal(branched));
  assert.equal(repository.git('ls-tree', '--name-only', branched.commit), 'agent\nreadme.md');
});

for (const [how, furnish] of [
  ['.gitattributes', (repository: TestRepository) => repository.write('.gitattributes', '*.txt text eol=crlf\n')],
  ['core.autocrlf', (repository: TestRepository) => repository.git('config', 'core.autocrlf', 'true')],
] as const) {
  test(`line ends that git turns by ${how} are no conflict in a branch, and are turned in it`, async () => {
    const repository = new TestRepository();
    furnish(repository);
    repository.write('a.txt', 'one\r\ntwo\r\nthree\r\n');
    repository.write('b.txt', 'untouched\r\n');
    repository.commit('turned');
    const before = await takeShadow(repository.place, { task, label: '1/before', atMs });
    repository.write('a.txt', 'one\r\nTWO\r\nthree\r\n');
    const after = await takeShadow(repository.place, { task, label: '1/after', atMs, basis: before.commit });
    const order = { task, before: before.commit, after: after.commit, head: before.head, atMs };
    const branched = await branchRun(repository.place, { ...order, branch: 'work', message: 'm', tip: null });
    assert.ok(!isRefusal(branched), JSON.stringify(branched));
    assert.equal(repository.git('diff', '--name-only', 'main', 'work'), 'a.txt');
    assert.equal(repository.git('cat-file', 'blob', 'work:a.txt'), 'one\nTWO\nthree');
  });
}
