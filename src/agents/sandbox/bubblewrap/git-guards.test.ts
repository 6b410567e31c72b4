import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { NOTHING, noBubblewrap, PLAIN_ENV, runShell, scratchFolder } from '../../../../test/support/test-process.ts';
import type { Grant } from '../sandbox.ts';
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts';

const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
const scratch = scratchFolder();
const options = { skip: noBubblewrap };
const IDENTITY = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b.c',
};

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...PLAIN_ENV, ...IDENTITY, HOME: scratch } });
}

function repository(): string {
  const folder = mkdtempSync(join(scratch, 'repo-'));
  git(folder, 'init', '--quiet');
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '-m', 'first');
  return folder;
}

function sh(command: string, cwd: string, grant: Partial<Grant>) {
  return runShell(sandbox, command, { cwd, grant: { ...NOTHING, ...grant }, env: { ...PLAIN_ENV, ...IDENTITY } });
}

/** Each would make git run something for whoever uses it next. */
const ATTACKS = [
  'echo evil > .git/hooks/pre-commit',
  'mkdir -p .git/hooks/x && echo evil > .git/hooks/x/y',
  'rm -rf .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit',
  'mv .git/hooks .git/old; mkdir .git/hooks; echo evil > .git/hooks/pre-commit',
  'ln -sfn /tmp .git/hooks',
  'echo "[core] fsmonitor = evil" >> .git/config',
  'cp .git/config x; echo evil >> x; mv x .git/config',
  'git config core.hooksPath evil',
  'git config alias.st "!evil"',
  'chmod 777 .git/config && echo evil >> .git/config',
  'mv .git other; cp -r other .git; echo evil >> .git/config',
  'rm -rf .git; mkdir .git; echo evil > .git/config',
  'mkdir evil; cp -r .git/. evil; echo evil >> evil/config; echo ../evil > .git/commondir',
  'cp -r . ../copy; echo evil >> .git/config',
];

for (const attack of ATTACKS) {
  test(`a process that may write a repository cannot lead git: ${attack}`, options, async () => {
    const folder = repository();
    const config = readFileSync(join(folder, '.git/config'), 'utf8');
    const hooks = execFileSync('ls', [join(folder, '.git/hooks')], { encoding: 'utf8' });
    await sh(`(${attack}) 2>&1; exit 0`, folder, { writePaths: [folder] });
    assert.equal(readFileSync(join(folder, '.git/config'), 'utf8'), config);
    assert.equal(execFileSync('ls', [join(folder, '.git/hooks')], { encoding: 'utf8' }), hooks);
    assert.ok(!existsSync(join(folder, '.git/commondir')));
  });
}

test('git itself works in a repository that may be written', options, async () => {
  const folder = repository();
  const command =
    'echo b > b.txt && git add . && git commit -q -m second && git checkout -q -b other && git status --short';
  const { end, stderr } = await sh(command, folder, { writePaths: [folder] });
  assert.ok(end.kind === 'exited' && end.exitCode === 0, stderr);
  assert.match(git(folder, 'log', '--oneline', 'other'), /second/);
});

test('repositories in the repository and its submodules are guarded too', options, async () => {
  const folder = repository();
  const inner = repository();
  git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'lib/inner');
  mkdirSync(join(folder, 'nested'));
  git(join(folder, 'nested'), 'init', '--quiet');
  const paths = ['.git/modules/lib/inner/config', 'nested/.git/config', 'lib/inner/.git'];
  const before = paths.map((path) => readFileSync(join(folder, path), 'utf8'));
  await sh(
    `for p in ${paths.join(' ')} .git/modules/lib/inner/hooks/x nested/.git/hooks/x; do echo evil >> $p; done`,
    folder,
    {
      writePaths: [folder],
    },
  );
  assert.deepEqual(
    paths.map((path) => readFileSync(join(folder, path), 'utf8')),
    before,
  );
  assert.ok(!existsSync(join(folder, 'nested/.git/hooks/x')));
});

test('the repositories of submodules cannot be moved aside', options, async () => {
  const folder = repository();
  const inner = repository();
  git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'lib/inner');
  const attack = (path: string) =>
    `mv .git/${path} .git/old; cp -r .git/old .git/${path}; echo evil >> .git/modules/lib/inner/config`;
  for (const path of ['modules', 'modules/lib', 'modules/lib/inner']) {
    await sh(`(${attack(path)}) 2>/dev/null; exit 0`, folder, { writePaths: [folder] });
    assert.doesNotMatch(readFileSync(join(folder, '.git/modules/lib/inner/config'), 'utf8'), /evil/, path);
  }
});

test('a worktree cannot be led elsewhere, nor the repository that it belongs to', options, async () => {
  const folder = repository();
  const worktree = `${folder}-worktree`;
  git(folder, 'worktree', 'add', '--quiet', '--detach', worktree);
  const attack = `echo "gitdir: /tmp" > .git; rm -f .git; echo evil >> ${folder}/.git/config; echo evil > ${folder}/.git/hooks/x;
    echo /tmp > ${folder}/.git/worktrees/*/commondir`;
  const before = readFileSync(join(worktree, '.git'), 'utf8');
  const { stderr } = await sh(`${attack}; echo b > b.txt; git add b.txt && git commit -q -m second`, worktree, {
    writePaths: [worktree, join(folder, '.git')],
  });
  assert.equal(readFileSync(join(worktree, '.git'), 'utf8'), before);
  assert.doesNotMatch(readFileSync(join(folder, '.git/config'), 'utf8'), /evil/);
  assert.ok(!existsSync(join(folder, '.git/hooks/x')));
  assert.match(git(worktree, 'log', '--oneline'), /second/, stderr);
});

test('a worktree whose repository reads config.worktree gets no such file from a process', options, async () => {
  const folder = repository();
  const worktree = `${folder}-settings`;
  git(folder, 'worktree', 'add', '--quiet', '--detach', worktree);
  git(folder, 'config', 'extensions.worktreeConfig', 'true');
  git(folder, 'config', '--worktree', 'core.abbrev', '8');
  const planted = join(folder, '.git/worktrees', basename(worktree), 'config.worktree');
  const attack = `git config --worktree core.fsmonitor evil; printf '[core]\\nfsmonitor = evil\\n' > ${planted}`;
  await sh(`(${attack}) 2>&1; git status > seen.txt`, worktree, { writePaths: [worktree, join(folder, '.git')] });
  assert.ok(existsSync(join(worktree, 'seen.txt')));
  assert.ok(!existsSync(planted));
  assert.equal(git(folder, 'config', '--worktree', '--list'), 'core.abbrev=8\n');
});

test('where something cannot be guarded alone, all of .git is read-only', options, async () => {
  const linkedHooks = repository();
  rmSync(join(linkedHooks, '.git/hooks'), { recursive: true });
  symlinkSync('/usr/share', join(linkedHooks, '.git/hooks'));
  const noConfig = repository();
  rmSync(join(noConfig, '.git/config'));
  for (const folder of [linkedHooks, noConfig]) {
    const { stderr } = await sh('echo x > .git/x; rm .git/hooks; echo ok > ok.txt', folder, { writePaths: [folder] });
    assert.match(stderr, /\.git\/x: Read-only|cannot create \.git\/x/);
    assert.ok(existsSync(join(folder, 'ok.txt')) && !existsSync(join(folder, '.git/x')));
  }
});

test('a repository without hooks gets none', options, async () => {
  const folder = repository();
  rmSync(join(folder, '.git/hooks'), { recursive: true });
  await sh('mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit', folder, { writePaths: [folder] });
  assert.ok(!existsSync(join(folder, '.git/hooks/pre-commit')));
});

test(
  'no process can lead git elsewhere while it runs, nor after another run of the repository ended',
  options,
  async () => {
    const folder = repository();
    const commondir = join(folder, '.git/commondir');
    const attack =
      'echo evil > .git/commondir; rm -f .git/commondir; mv .git/a .git/commondir; ln -sfn /tmp .git/commondir';
    const waits = `echo . > .git/a; touch started; until [ -e go ]; do sleep 0.05; done; (${attack}) 2>&1; touch tried; until [ -e end ]; do sleep 0.05; done`;
    const first = sh(waits, folder, { writePaths: [folder] });
    await appears(join(folder, 'started'));
    assert.match(git(folder, 'worktree', 'list'), /^\S+ +[0-9a-f]+ \[/);
    const { stdout, end } = await sh('git status --short; git branch second', folder, { writePaths: [folder] });
    assert.ok(end.kind === 'exited' && end.exitCode === 0, stdout);
    writeFileSync(join(folder, 'go'), '');
    await appears(join(folder, 'tried'));
    assert.equal(readFileSync(commondir, 'utf8'), '.\n');
    assert.match(git(folder, 'log', '--oneline', 'second'), /first/);
    writeFileSync(join(folder, 'end'), '');
    await first;
    assert.ok(!existsSync(commondir));
  },
);

test('what a killed run left at commondir goes with the next run', options, async () => {
  const folder = repository();
  writeFileSync(join(folder, '.git/commondir'), '.\n');
  await sh('echo evil >> .git/config; echo evil > .git/commondir', folder, { writePaths: [folder] });
  assert.ok(!existsSync(join(folder, '.git/commondir')));
  assert.doesNotMatch(readFileSync(join(folder, '.git/config'), 'utf8'), /evil/);
});

async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await setTimeout(20);
}
