import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';
import { type Attack, attack, EVIL, home, INIT, withHusky, withTool } from '../../support/work/git-attacks.ts';

mkdirSync(home);

const COMMIT = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x';

function withSubmodule(repository: TestRepository): void {
  const inner = new TestRepository();
  repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'lib/inner');
  repository.commit('submodule');
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
