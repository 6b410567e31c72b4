import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BATON, runBaton } from '../../support/run-baton.ts';
import { orderRun, RunStage, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { type TestRepository, testFolder } from '../../support/test-repository.ts';
import { attack, EVIL, INIT, type LeftWords, stage, withHusky, withTool } from '../../support/work/git-attacks.ts';

describe('an agent cannot hide what it wrote', { concurrency: 2, skip: noBubblewrap }, () => {
  const HIDING: Readonly<Record<string, string>> = {
    'in a folder that ignores all it holds': 'mkdir hidden; echo "*" > hidden/.gitignore; mv evil.sh hidden/run.sh',
    'by a list at the top that ignores everything': 'mkdir hidden; mv evil.sh hidden/run.sh; echo "*" > .gitignore',
    'by another line in a list of the user':
      'mkdir hidden; mv evil.sh hidden/run.sh; echo hidden >> src/.gitignore; mv hidden src/',
  };
  for (const [does, script] of Object.entries(HIDING)) {
    test(does, { timeout: 240_000 }, async () => {
      const given = (repository: TestRepository) => {
        repository.write('src/.gitignore', '*.log\n!keep.log\n/build\n');
        repository.write('src/deep/a.log', 'ignored\n');
        repository.write('src/build/x', 'ignored\n');
        repository.commit('rules');
        // A folder that hid itself before the run is the user's own business.
        repository.write('.venv/.gitignore', '*\n');
        repository.write('.venv/lib/x.py', 'ignored\n');
      };
      const more = 'echo new > src/deep/b.log; echo new > src/build/y; echo new > .venv/lib/y.py';
      const { own, response, repository, before } = await attack(does, {
        given,
        script: `${script}; ${more}`,
        next: [],
        names: /x/,
      });
      const paths = (response.execution_summary?.output_artifacts ?? []).map(({ path }) => path ?? '');
      assert.ok(
        paths.some((path) => path.endsWith('hidden/run.sh')),
        paths.join(),
      );
      assert.ok(!paths.some((path) => /\.log$|build|venv/.test(path)), paths.join());
      const undo = await stage.data.run(['undo', own.task, '--json']);
      assert.equal(undo.status, 0, undo.stdout + undo.stderr);
      const { 'src/deep/b.log': _b, 'src/build/y': _y, '.venv/lib/y.py': _p, ...after } = repository.files();
      assert.deepEqual(after, before);
    });
  }
});

test('a folder that cannot be read is named as not looked at', { timeout: 240_000, skip: noBubblewrap }, async () => {
  const name = 'd'.repeat(200);
  const script = `i=0; while [ $i -lt 30 ]; do mkdir ${name}; cd ${name}; i=$((i+1)); done; git init -q .`;
  const { notLookedAt, repository } = await attack('too-deep', { script, next: [], names: /x/ });
  execFileSync('rm', ['-rf', join(repository.root, name)]);
  assert.equal(notLookedAt.length, 1);
  assert.match(notLookedAt[0] ?? '', /^d{200}\/d{200}\//);
});

test('a check that runs code of the agent is looked at afterwards', {
  timeout: 240_000,
  skip: noBubblewrap,
}, async () => {
  const repository = stage.repository();
  const objective = 'printf "#!/bin/sh\\ngit init -q planted\\n" > check.sh; chmod +x check.sh';
  const check = { checkpoint_id: 'C', description: 'C', validation: { command: './check.sh', expects: 'EXIT_CODE_0' } };
  const phases = [{ phase_id: 'P', phase_order: 1, label: 'P', objective: 'P', checkpoints: [check] }];
  const { own } = await stage.run(taskFor('runs-a-script', repository.root, { task: { objective }, phases }));
  const { executed_by_git: executed } = own as unknown as LeftWords;
  assert.deepEqual(
    executed.map(({ path }) => path),
    ['planted/.git'],
  );
});

test('without git before the run, a repository that came is named', {
  timeout: 240_000,
  skip: noBubblewrap,
}, async () => {
  const folder = testFolder();
  const task = { objective: 'git init -q .; git config core.fsmonitor x' };
  const { own } = await stage.run(taskFor('runs-a-script', folder, { task }));
  const { executed_by_git: executed } = own as unknown as LeftWords;
  assert.deepEqual(
    executed.map(({ path }) => path),
    ['.git', '.git/config'],
  );
});

test('a plain run names nothing', { timeout: 240_000, skip: noBubblewrap }, async () => {
  const script =
    'rm evil.sh; echo a > a.txt; git add a.txt; git -c user.name=a -c user.email=a@b commit -qm x; git branch other; git gc -q';
  const { executed, notLookedAt, warnings } = await attack('plain', { given: withHusky, script, next: [], names: /x/ });
  assert.deepEqual(
    [executed, notLookedAt, warnings.filter((warning) => /executed by git/.test(warning))],
    [[], [], []],
  );
});

test('a person reads what git will execute, and a receipt proves it', {
  timeout: 240_000,
  skip: noBubblewrap,
}, async () => {
  const repository = stage.repository();
  stage.configure({ agents: { hidden: { driver: 'process', command: ['sh', '-c', 'git init -q sub'] } } });
  const args = ['run', 'plant it', '--agent', 'hidden', '--workspace', repository.root, '--yes'];
  const { stdout, stderr } = await stage.data.run(args);
  assert.match(stdout + stderr, /will be executed by git: sub\/\.git \(/);
  assert.doesNotMatch(stdout + stderr, /no file was changed/);
  const receipt = JSON.parse(await receiptText(stdout + stderr)) as { readonly executedByGit: readonly object[] };
  assert.equal(receipt.executedByGit.length, 1);
});

async function receiptText(said: string): Promise<string> {
  return readFileSync(/^receipt (\S.*\.json)/m.exec(said)?.[1] ?? '', 'utf8');
}

/** A machine without a sandbox: its program is hidden from the whole command. */
const UNHELD = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap', '--', BATON];

test('without a sandbox the same is found, hooks and configuration too', {
  timeout: 240_000,
  skip: noBubblewrap,
}, async () => {
  const alone = await RunStage.alone('left-unheld');
  const repository = alone.repository();
  const script = `${EVIL}; cp evil.sh .git/hooks/pre-commit; git config core.fsmonitor x; git config branch.main.remote o; ${INIT('sub')}`;
  const message = taskFor('runs-a-script', repository.root, { task: { objective: script } });
  const args = [...UNHELD, 'run', alone.write(message), '--json', '--data', alone.data.path];
  const { own } = orderRun(await runBaton(args, { program: 'bwrap' }));
  const { executed_by_git: executed } = own as unknown as LeftWords;
  const paths = executed.map(({ path }) => path);
  assert.deepEqual(paths, ['.git/config', '.git/hooks/pre-commit', 'sub/.git', 'sub/.git/config']);
});

test('apply takes over nothing that git executes without a yes', { timeout: 240_000, skip: noBubblewrap }, async () => {
  const repository = stage.repository();
  withHusky(repository);
  const task = { objective: 'echo touch x > .husky/pre-commit; echo b > b.txt' };
  const { own } = await stage.run(taskFor('runs-a-script', repository.root, { task }), '--worktree');
  for (const flags of [[], ['--branch', 'taken']]) {
    const refused = await stage.data.run(['apply', own.task, ...flags, '--json']);
    assert.equal(refused.status, 2, refused.stdout);
    const answer = JSON.parse(refused.stdout) as {
      readonly code: string;
      readonly errors: readonly { readonly message: string }[];
    };
    assert.equal(answer.code, 'executed_by_git');
    assert.match(answer.errors[0]?.message ?? '', /will be executed by git: \.husky\/pre-commit/);
  }
  assert.ok(!existsSync(join(repository.root, 'b.txt')));
  const applied = await stage.data.run(['apply', own.task, '--yes', '--json']);
  assert.equal(applied.status, 0, applied.stdout);
  assert.match(repository.read('.husky/pre-commit'), /touch x/);
});

test('undo takes away what came and git would execute', { timeout: 240_000, skip: noBubblewrap }, async () => {
  const script = `${INIT('sub')}; ${INIT('src')}; mkdir .git/rebase-merge; echo "exec $EVIL" > .git/rebase-merge/git-rebase-todo; cp evil.sh tools/new.sh`;
  const given = withTool('alias.st=!./tools/new.sh');
  const { own, executed, repository } = await attack('undo', { given, script, next: [], names: /x/ });
  assert.equal(executed.length, 6, JSON.stringify(executed));
  const undo = await stage.data.run(['undo', own.task, '--json']);
  assert.equal(undo.status, 0, undo.stdout + undo.stderr);
  const left = ['sub/.git', 'src/.git', '.git/rebase-merge', 'tools/new.sh'].filter((path) =>
    existsSync(join(repository.root, path)),
  );
  assert.deepEqual(left, []);
  assert.ok(existsSync(join(repository.root, 'tools/tool.sh')));
});
