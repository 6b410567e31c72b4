import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BATON, runBaton } from '../support/run-baton.ts';
import { orderRun, RunStage, taskFor } from '../support/run-stage.ts';
import { noBubblewrap } from '../support/test-process.ts';
import { TestRepository, testFolder } from '../support/test-repository.ts';

const stage = await RunStage.up('run-left-for-git');
const home = join(stage.folder, 'home');
mkdirSync(home);

interface Attack {
  /** The user's repository before the run. */
  readonly given?: (repository: TestRepository) => void;
  /** The agent's script. `$EVIL` is its program, which leaves a mark when the user's git runs it. */
  readonly script: string;
  /** The user's commands afterwards. */
  readonly next: readonly string[];
  /** Matches a path that the report must name; null where the sandbox prevents the attack. */
  readonly names: RegExp | null;
}

// The path contains a blank, and a shell reads it.
const EVIL = 'EVIL="\'$PWD/evil.sh\'"; printf "#!/bin/sh\\ntouch MARK\\n" > evil.sh; chmod +x evil.sh';
const INIT = (folder: string) => `git init -q ${folder}; git -C ${folder} config core.fsmonitor "$EVIL"`;
const COMMIT = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x';
const SCRIPT = '#!/bin/sh\nexit 0\n';

function withSubmodule(repository: TestRepository): void {
  const inner = new TestRepository();
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib/inner');
  repository.commit('submodule');
}

function withHusky(repository: TestRepository): void {
  repository.write('.husky/_/pre-commit', SCRIPT, 0o755);
  repository.write('.husky/_/.gitignore', '*\n');
  repository.write('.husky/pre-commit', 'true\n', 0o755);
  repository.git('config', 'core.hooksPath', '.husky/_');
  repository.commit('husky');
}

/** An ignored script that the user's configuration runs. */
function withTool(...settings: readonly string[]) {
  return (repository: TestRepository): void => {
    repository.write('.gitignore', '/tools/\n');
    repository.write('tools/tool.sh', SCRIPT, 0o755);
    repository.commit('tools');
    for (const setting of settings) {
      const [name = '', value = ''] = setting.split('=');
      repository.git('config', name, value);
    }
  };
}

const TOOL = 'cp evil.sh tools/tool.sh; rm evil.sh';

const ATTACKS: Readonly<Record<string, Attack>> = {
  'a gitlink with a monitor of its own': {
    script: `${INIT('sub')}; (cd sub; ${COMMIT}); git add sub`,
    next: ['git status', 'git diff'],
    names: /^sub\/\.git$/,
  },
  'a repository six folders deep': {
    script: `mkdir -p a/b/c/d/e/f; ${INIT('a/b/c/d/e/f')}`,
    next: ['cd a/b/c/d/e/f && git status'],
    names: /^a\/b\/c\/d\/e\/f\/\.git\/config$/,
  },
  'a repository in a folder with files of its own': {
    given: (repository) => {
      repository.write('src/a.txt', 'a\n');
      repository.commit('src');
    },
    script: INIT('src'),
    next: ['cd src && git status'],
    names: /^src\/\.git$/,
  },
  'a repository in an ignored folder': {
    given: (repository) => {
      repository.write('.gitignore', 'node_modules\n');
      repository.write('node_modules/x/index.js', '\n');
    },
    script: INIT('node_modules/x'),
    next: ['cd node_modules/x && git status'],
    names: /^node_modules\/x\/\.git$/,
  },
  'a repository in a folder whose name is no text': {
    script: `d=$(printf 'n\\377'); mkdir "$d"; git init -q "$d"; git -C "$d" config core.fsmonitor "$EVIL"`,
    next: ['cd n* && git status'],
    names: /\/\.git$/,
  },
  'a repository of the user beside 700 folders': {
    given: (repository) => {
      for (let at = 0; at < 700; at += 1) repository.write(`many/${at}/x`, 'x\n');
      repository.write('zz/deep/er/x', 'x\n');
      repository.git('init', '-q', 'zz/deep/er');
    },
    script: 'git -C zz/deep/er config core.fsmonitor "$EVIL"',
    next: ['cd zz/deep/er && git status'],
    names: /^zz\/deep\/er\/\.git\/config$/,
  },
  'a bare repository of plain files': {
    script:
      'git init -q --bare bare; git -C bare config core.bare false; git -C bare config core.worktree ..; git -C bare config core.fsmonitor "$EVIL"',
    next: ['cd bare && git status'],
    names: /^bare$/,
  },
  'a .git file that points elsewhere': {
    script: `git init -q elsewhere; mv elsewhere/.git place; git -C place config core.fsmonitor "$EVIL"; mkdir pointed; echo "gitdir: ../place" > pointed/.git`,
    next: ['cd pointed && git status'],
    names: /^pointed\/\.git$/,
  },
  'a .git link': {
    script: `${INIT('one')}; mv one/.git one/x; mkdir two; ln -s ../one/x two/.git`,
    next: ['cd two && git status'],
    names: /^two\/\.git$/,
  },
  '.git/modules moved aside and replaced': {
    given: withSubmodule,
    script:
      'mv .git/modules .git/old; cp -r .git/old .git/modules; git config -f .git/modules/lib/inner/config core.fsmonitor "$EVIL"',
    next: ['git status', 'cd lib/inner && git status'],
    names: null,
  },
  'the repository of a submodule moved aside and replaced': {
    given: withSubmodule,
    script: 'cd .git/modules; mv lib old; cp -r old lib; git config -f lib/inner/config core.fsmonitor "$EVIL"',
    next: ['git status', 'cd lib/inner && git status'],
    names: null,
  },
  'a submodule that the user adds later': {
    script: `mkdir .git/modules; git init -q --bare .git/modules/later; git config -f .git/modules/later/config core.fsmonitor "$EVIL"`,
    next: [],
    names: /^\.git\/modules\/later$/,
  },
  'the folder of a submodule moved aside and replaced': {
    given: withSubmodule,
    script: `mv lib/inner lib/old; ${INIT('lib/inner')}; (cd lib/inner; ${COMMIT})`,
    next: ['git status'],
    names: /^lib\/inner\/\.git$/,
  },
  'a hook of husky in its ignored folder': {
    given: withHusky,
    script: 'cp evil.sh .husky/_/pre-commit; rm evil.sh',
    next: ['git commit --allow-empty -m x'],
    names: /^\.husky\/_\/pre-commit$/,
  },
  'a new hook of husky': {
    given: withHusky,
    script: 'mv evil.sh .husky/_/post-commit',
    next: ['git commit --allow-empty -m x'],
    names: /^\.husky\/_\/post-commit$/,
  },
  'a hook that husky runs': {
    given: withHusky,
    script: 'mv evil.sh .husky/pre-commit',
    next: ['git commit --allow-empty -m x'],
    names: /^\.husky\/pre-commit$/,
  },
  'the folder above the hooks moved aside': {
    given: withHusky,
    script: 'mv .husky old; mkdir -p .husky/_; mv evil.sh .husky/_/pre-commit',
    next: ['git commit --allow-empty -m x'],
    names: /^\.husky\/_\/pre-commit$/,
  },
  'hooks in a folder that the user never made': {
    given: (repository) => repository.git('config', 'core.hooksPath', '.githooks'),
    script: 'mkdir .githooks; mv evil.sh .githooks/pre-commit; echo "*" > .githooks/.gitignore',
    next: ['git commit --allow-empty -m x'],
    names: /^\.githooks\/pre-commit$/,
  },
  'an included configuration': {
    given: (repository) => {
      repository.write('.gitignore', 'team.config\n');
      repository.write('team.config', '[core]\n\tabbrev = 8\n');
      repository.git('config', 'include.path', '../team.config');
    },
    script: 'printf "[core]\\n\\tfsmonitor = $EVIL\\n" > team.config',
    next: ['git status'],
    names: /^team\.config$/,
  },
  'a configuration that is included on another branch': {
    given: (repository) => repository.git('config', 'includeIf.onbranch:other.path', '../.git-team/config'),
    script:
      'mkdir .git-team; echo "*" > .git-team/.gitignore; printf "[core]\\n\\tfsmonitor = $EVIL\\n" > .git-team/config; git checkout -q -b other',
    next: ['git status'],
    names: /^\.git-team\/config$/,
  },
  'a planted rebase': {
    script: `h=$(git rev-parse HEAD); r=.git/rebase-merge; mkdir $r; echo "exec $EVIL" > $r/git-rebase-todo; : > $r/done; : > $r/interactive
      for f in onto orig-head; do echo $h > $r/$f; done; echo refs/heads/main > $r/head-name; echo 1 > $r/end; echo 0 > $r/msgnum`,
    next: ['git rebase --continue'],
    names: /^\.git\/rebase-merge\/git-rebase-todo$/,
  },
  'a planted sequencer': {
    script:
      'mkdir .git/sequencer; echo "pick $(git rev-parse HEAD)" > .git/sequencer/todo; git rev-parse HEAD > .git/sequencer/head',
    next: ['git status'],
    names: /^\.git\/sequencer\/todo$/,
  },
  'config.worktree where it is in force': {
    given: (repository) => repository.git('config', 'extensions.worktreeConfig', 'true'),
    script: 'printf "[core]\\n\\tfsmonitor = $EVIL\\n" > .git/config.worktree',
    next: ['git status'],
    names: null,
  },
  'objects borrowed from another repository': {
    script: 'git init -q --bare objects-of; echo $PWD/objects-of/objects > .git/objects/info/alternates',
    next: ['git log'],
    names: /^\.git\/objects\/info\/alternates$/,
  },
  'a remote in the old form': {
    script: 'mkdir -p .git/remotes; echo "URL: $PWD" > .git/remotes/mine',
    next: [],
    names: /^\.git\/remotes\/mine$/,
  },
  'hooks where there was no folder for them': {
    given: (repository) => rmSync(join(repository.root, '.git/hooks'), { recursive: true }),
    script: 'mkdir -p .git/hooks; cp evil.sh .git/hooks/pre-commit',
    next: ['git commit --allow-empty -m x'],
    names: null,
  },
  'settings that name commands': {
    script: `for s in core.fsmonitor core.sshCommand core.editor core.pager gpg.program credential.helper alias.st filter.x.clean diff.x.textconv merge.x.driver uploadpack.packObjectsHook core.hooksPath include.path; do git config $s "$EVIL"; done
      git config extensions.worktreeConfig true; cp .git/config c; git config -f c core.fsmonitor "$EVIL"; mv -f c .git/config`,
    next: ['git status', 'git log', 'git st', 'git commit --allow-empty'],
    names: null,
  },
  'another common folder': {
    script: 'cp -r .git copy; git config -f copy/config core.fsmonitor "$EVIL"; echo ../copy > .git/commondir',
    next: ['git status'],
    names: /^copy$/,
  },
  'a worktree of the user': {
    given: (repository) => repository.git('worktree', 'add', '-q', '--detach', '../worktree'),
    script: `printf "[core]\\n\\tfsmonitor = $EVIL\\n" > .git/worktrees/worktree/config.worktree; mv .git/worktrees .git/old
      echo $PWD/copy > .git/worktrees/worktree/commondir; cp -r .git copy; git config -f copy/config core.fsmonitor "$EVIL"`,
    next: ['cd ../worktree && git status', 'git worktree list'],
    names: /^copy$/,
  },
  'a file that an alias runs': {
    given: withTool('alias.st=!./tools/tool.sh'),
    script: TOOL,
    next: ['git st'],
    names: /^tools\/tool\.sh$/,
  },
  'a file that settings run': {
    given: withTool('core.fsmonitor=tools/tool.sh', 'core.pager=tools/tool.sh', 'credential.helper=!tools/tool.sh'),
    script: TOOL,
    next: ['git status', 'git --paginate log'],
    names: /^tools\/tool\.sh$/,
  },
  'attributes that turn on a driver of the user': {
    given: (repository) => {
      repository.git('config', 'diff.run.textconv', 'sh');
      repository.git('config', 'filter.run.clean', 'sh');
    },
    script: 'echo "*.md diff=run filter=run" > .gitattributes; echo "touch MARK" > readme.md',
    next: ['git diff', 'git add readme.md'],
    names: /^\.gitattributes$/,
  },
};

/** The user's git: an own home, and nothing that waits for an answer. */
function user(repository: TestRepository, command: string): void {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_EDITOR: 'true',
    GIT_TERMINAL_PROMPT: '0',
  };
  execFileSync('/bin/sh', ['-c', `(${command}) >/dev/null 2>&1 </dev/null; exit 0`], {
    cwd: repository.root,
    env,
    timeout: 20_000,
  });
}

interface LeftWords {
  readonly executed_by_git: readonly { readonly path: string; readonly reason: string }[];
  readonly not_looked_at: readonly string[];
}

/** The attack is a real one: without the sandbox git runs the agent's program. */
function assertWorksOutside(
  script: string,
  { given, next, mark }: Pick<Attack, 'next'> & { readonly given: Attack['given'] | undefined; readonly mark: string },
) {
  const repository = stage.repository();
  given?.(repository);
  user(repository, script);
  for (const command of next) user(repository, command);
  assert.ok(existsSync(mark), 'this attack does nothing outside of the sandbox either');
  rmSync(mark);
}

async function attack(does: string, { given, script, next, names }: Attack) {
  const repository = stage.repository();
  given?.(repository);
  const before = repository.files();
  const mark = join(stage.folder, `mark-${does.replaceAll(/\W+/g, '-')}`);
  const objective = `${EVIL}; ${script}`.replaceAll('MARK', mark);
  if (names === null) assertWorksOutside(objective, { given, next, mark });
  const run = await stage.run(taskFor('runs-a-script', repository.root, { task: { objective } }));
  for (const command of next) user(repository, command);
  const { executed_by_git: executed, not_looked_at: notLookedAt } = run.own as unknown as LeftWords;
  const warnings = run.response.execution_summary?.warnings ?? [];
  return { ...run, repository, before, hasRun: existsSync(mark), executed, notLookedAt, warnings };
}

/** Attacks that need nothing of the user's are carried out in one run, each with a program of its own. */
const TOGETHER = Object.values(ATTACKS).filter(({ given, names }) => given === undefined && names !== null);

test('everything that an agent leaves for the next git command is named', {
  timeout: 240_000,
  skip: noBubblewrap,
}, async () => {
  const scripts = TOGETHER.map(({ script }, at) => `(${EVIL}; ${script})`.replaceAll('evil.sh', `evil-${at}.sh`));
  const { executed, warnings } = await attack('together', { script: scripts.join('\n'), next: [], names: /x/ });
  for (const { names, script } of TOGETHER) {
    const isNamed = executed.some(({ path }) => names?.test(path));
    assert.ok(isNamed, `${script}: ${JSON.stringify(executed)}`);
  }
  assert.ok(
    warnings.some((warning) => warning.startsWith('will be executed by git: ')),
    warnings.join('\n'),
  );
});

describe('what an agent leaves for the next git command is prevented or named', {
  concurrency: 2,
  skip: noBubblewrap,
}, () => {
  for (const [does, each] of Object.entries(ATTACKS)) {
    if (TOGETHER.includes(each)) continue;
    test(does, { timeout: 240_000 }, async () => {
      const { names } = each;
      const { hasRun, executed } = await attack(does, each);
      if (names !== null)
        assert.ok(
          executed.some(({ path }) => names.test(path)),
          JSON.stringify(executed),
        );
      else assert.equal(hasRun, false, `git ran the agent's program; named: ${JSON.stringify(executed)}`);
    });
  }
});

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
