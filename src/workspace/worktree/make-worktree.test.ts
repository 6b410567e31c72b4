import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needDebianPackages, reason } from '../../../scripts/debian-packages.mjs';
import { TestRepository, testFolder } from '../../../test/support/test-repository.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { applyRun } from '../merge/apply-run.ts';
import { takeShadow } from '../shadow/take-shadow.ts';
import { makeWorktree, type Worktree, type WorktreeRequest } from './make-worktree.ts';
import { removeWorktree, sweepWorktrees } from './remove-worktree.ts';

const noBubblewrap = reason(needDebianPackages(['bubblewrap']));

function requestFor(repository: TestRepository, more: Partial<WorktreeRequest> = {}): WorktreeRequest {
  const folder = join(repository.dataFolder, 'worktrees', 'TASK-2026-02-09-001');
  const head = repository.git('rev-parse', 'HEAD');
  const { repository: found } = repository;
  return { repository: found, folder, head, include: [], setup: [], isShellAllowed: false, ...more };
}

async function make(request: WorktreeRequest): Promise<Worktree> {
  const made = await makeWorktree(request);
  assert.ok(!isRefusal(made), JSON.stringify(made));
  return made;
}

function gitIn(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

test('a worktree has the files of HEAD, and the repository does not know of it', async () => {
  const repository = new TestRepository();
  repository.write('run.sh', '#!/bin/sh\n', 0o755);
  repository.write('.gitattributes', '*.txt eol=crlf\n');
  repository.write('dos.txt', 'one\r\n');
  symlinkSync('readme.md', join(repository.root, 'link'));
  repository.commit('all sorts');
  repository.git('tag', 'v1');
  const files = repository.files();
  repository.write('readme.md', 'not committed');
  repository.write('untracked', 'x');
  const theirs = repository.fingerprint();
  const worktree = await make(requestFor(repository));
  assert.deepEqual(repository.fingerprint(), theirs);
  const names = readdirSync(worktree.root).filter((name) => name !== '.git');
  assert.deepEqual(names.sort(), Object.keys(files).sort());
  assert.equal(readFileSync(join(worktree.root, 'dos.txt'), 'utf8'), 'one\r\n');
  assert.equal(statSync(join(worktree.root, 'run.sh')).mode & 0o111, 0o111);
  assert.equal(gitIn(worktree.root, 'status', '--porcelain'), '');
  assert.equal(gitIn(worktree.root, 'rev-parse', 'v1'), worktree.head);
  assert.equal(gitIn(worktree.root, 'rev-parse', '--abbrev-ref', 'HEAD'), 'HEAD');
});

test('files that git does not have are taken along, and those that are not there are told', async () => {
  const repository = new TestRepository();
  repository.write('.gitignore', '.env\nlocal\n');
  repository.commit('ignore');
  repository.write('.env', 'KEY=1', 0o600);
  repository.write('local/deep/settings', 'x');
  const worktree = await make(requestFor(repository, { include: ['.env', 'local', '.env.missing', 'readme.md'] }));
  assert.deepEqual(worktree.included, ['.env', 'local/deep/settings', 'readme.md']);
  assert.deepEqual(worktree.missing, ['.env.missing']);
  assert.equal(statSync(join(worktree.root, '.env')).mode & 0o777, 0o600);
  assert.equal(readFileSync(join(worktree.root, 'local/deep/settings'), 'utf8'), 'x');
});

test('links in an included folder stay links, and are not followed', async () => {
  const repository = new TestRepository();
  repository.write('.gitignore', 'tools\n');
  repository.commit('ignore');
  repository.write('tools/lib/run.js', 'x');
  mkdirSync(join(repository.root, 'tools/bin'));
  symlinkSync('../lib/run.js', join(repository.root, 'tools/bin/run'));
  symlinkSync('lib', join(repository.root, 'tools/current'));
  symlinkSync('/etc/passwd', join(repository.root, 'tools/out'));
  const { root, included } = await make(requestFor(repository, { include: ['tools'] }));
  assert.deepEqual([...included].sort(), ['tools/bin/run', 'tools/current', 'tools/lib/run.js', 'tools/out']);
  assert.equal(readFileSync(join(root, 'tools/bin/run'), 'utf8'), 'x');
  const links = ['bin/run', 'current', 'out'].map((name) => readlinkSync(join(root, 'tools', name)));
  assert.deepEqual(links, ['../lib/run.js', 'lib', '/etc/passwd']);
});

test('an include that leads out of the repository is refused, and nothing is left', async () => {
  const repository = new TestRepository();
  symlinkSync('/etc', join(repository.root, 'etc'));
  for (const include of [['../data'], ['/etc/passwd'], ['etc/passwd']]) {
    const request = requestFor(repository, { include });
    const refused = await makeWorktree(request);
    assert.ok(isRefusal(refused));
    assert.deepEqual([existsSync(request.folder), existsSync(`${request.folder}.new`)], [false, false]);
  }
});

test('a link that the repository has in the way of an included file is not followed', async () => {
  const repository = new TestRepository();
  const outside = testFolder();
  symlinkSync(outside, join(repository.root, 'config'));
  repository.commit('link');
  repository.git('rm', '-q', '--cached', 'config');
  execFileSync('rm', [join(repository.root, 'config')]);
  repository.write('config/.env', 'KEY=1');
  assert.ok(isRefusal(await makeWorktree(requestFor(repository, { include: ['config/.env'] }))));
  assert.deepEqual(readdirSync(outside), []);
});

test('set-up commands are split, and those that only a shell understands are refused', async () => {
  const repository = new TestRepository();
  const { setup } = await make(requestFor(repository, { setup: ['npm ci', "echo 'a b'"] }));
  assert.deepEqual(setup, [
    ['npm', 'ci'],
    ['echo', 'a b'],
  ]);
  assert.ok(isRefusal(await makeWorktree(requestFor(repository, { setup: ['npm ci && rm -rf /'] }))));
});

test('no command that the repository names is run to make its files', async () => {
  const repository = new TestRepository();
  const trap = join(repository.root, '.git', 'trap');
  repository.write('.gitattributes', '* filter=evil\n');
  repository.commit('evil');
  repository.git('config', 'filter.evil.smudge', `touch "${trap}"; cat`);
  repository.git('config', 'filter.evil.required', 'true');
  repository.write('.git/hooks/post-checkout', `#!/bin/sh\ntouch "${trap}"\n`, 0o755);
  await make(requestFor(repository));
  assert.equal(existsSync(trap), false);
});

test('a worktree commits under the identity of its repository, and has no other setting of it', async () => {
  const repository = new TestRepository();
  repository.git('config', 'user.name', 'Jane "J" \\ Doe # 1');
  repository.git('config', 'user.signingKey', 'AB12');
  const { root } = await make(requestFor(repository));
  gitIn(root, 'commit', '-q', '--allow-empty', '-m', 'agent');
  assert.equal(gitIn(root, 'log', '-1', '--format=%an <%ae>'), 'Jane "J" \\ Doe # 1 <test@example>');
  assert.deepEqual(gitIn(root, 'config', '--local', '--name-only', '--get-regexp', '^user').split('\n'), [
    'user.name',
    'user.email',
  ]);
});

test('work done in a worktree comes home, also what its agent committed there', async () => {
  const repository = new TestRepository();
  const { root, head } = await make(requestFor(repository));
  const place = { ...repository.place, root, head };
  const request = { task: 'TASK-2026-02-09-001', label: '1/before', atMs: 1_770_000_000_000 };
  const before = await takeShadow(place, request);
  assert.equal(before.commit, head);
  writeFileSync(join(root, 'committed'), '1');
  gitIn(root, 'add', '.');
  gitIn(root, '-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-q', '-m', 'agent');
  writeFileSync(join(root, 'uncommitted'), '2');
  const after = await takeShadow(place, { ...request, label: '1/after', basis: before.commit });
  assert.equal(repository.gitWithShadows('rev-parse', `${after.commit}^`), head);
  removeWorktree(root);
  const branches = repository.git('for-each-ref', 'refs/heads');
  const applied = await applyRun(repository.place, {
    ...request,
    label: '1/apply',
    before: before.commit,
    after: after.commit,
  });
  assert.equal(applied.kind, 'applied');
  assert.deepEqual([repository.read('committed'), repository.read('uncommitted')], ['1', '2']);
  assert.equal(repository.git('for-each-ref', 'refs/heads'), branches);
});

test('git works inside of the sandbox, where the worktree stands in the place of the repository', {
  skip: noBubblewrap,
}, async () => {
  const repository = new TestRepository();
  const { mounts, head } = await make(requestFor(repository));
  const shown = mounts.flatMap(({ from, at }, number) => [number === 0 ? '--bind' : '--ro-bind', from, at]);
  const system = ['/usr', '/bin', '/lib', '/lib64'].filter(existsSync).flatMap((path) => ['--ro-bind', path, path]);
  const inside = (...args: string[]) =>
    execFileSync('bwrap', [...system, '--dev', '/dev', ...shown, '--chdir', repository.root, 'git', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim();
  assert.equal(inside('log', '--format=%H'), head);
  assert.equal(inside('status', '--porcelain'), '');
  inside('-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-q', '--allow-empty', '-m', 'agent');
  assert.equal(repository.git('rev-parse', 'HEAD'), head);
});

test('what a crash left of worktrees is swept, and a closed folder is removed', async () => {
  const repository = new TestRepository();
  const request = requestFor(repository);
  const parent = join(repository.dataFolder, 'worktrees');
  const { root } = await make(request);
  for (const name of ['half.new', 'half.gone', 'unknown']) mkdirSync(join(parent, name, 'deep'), { recursive: true });
  chmodSync(join(parent, 'unknown', 'deep'), 0);
  assert.deepEqual(sweepWorktrees(parent, (name) => join(parent, name) === root).sort(), [
    'half.gone',
    'half.new',
    'unknown',
  ]);
  assert.ok(existsSync(root));
  removeWorktree(root);
  removeWorktree(root);
  assert.deepEqual(readdirSync(parent), []);
});
