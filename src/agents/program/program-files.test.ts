import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { programFiles } from './program-files.ts';

const NODE = '#!/usr/bin/env node\n';

interface Layout {
  /** Path below the home → text, or `-> target` for a link. Files are executable. */
  readonly files: Readonly<Record<string, string>>;
  readonly program: string;
  /** Paths below the home that are shown. */
  readonly shown: readonly string[];
  /** Links that are shown, and where they lead. */
  readonly links?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly cwd?: string;
}

/** Every home has these, and nothing of a layout may show them. */
const SECRETS = [
  '.ssh/id',
  '.aws/credentials',
  '.config/gh/hosts.yml',
  'tools/notes.txt',
  'package.json',
  'versions/x',
];

function aHome(t: TestContext, { files }: Pick<Layout, 'files'>): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-program-')));
  t.after(() => rmSync(home, { recursive: true }));
  const all = { ...Object.fromEntries(SECRETS.map((name) => [name, 'secret'])), ...files };
  for (const [name, text] of Object.entries(all)) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3).replace(/^~/, home), file);
    else {
      writeFileSync(file, text.replaceAll('~', home));
      chmodSync(file, 0o755);
    }
  }
  return home;
}

const codex = '.npm-global/lib/node_modules/@openai/codex';

const LAYOUTS: Readonly<Record<string, Layout>> = {
  'a script in a folder of tools is shown alone': {
    files: { 'tools/agent': '#!/bin/sh\n', 'tools/lib/x': '' },
    program: 'tools/agent',
    shown: ['tools/agent'],
  },
  'a package.json that happens to lie above makes no package': {
    files: { 'work/package.json': '{"name":"work"}', 'work/.env': 'x', 'work/tools/agent': '#!/bin/sh\n' },
    program: 'work/tools/agent',
    shown: ['work/tools/agent'],
  },
  'a home that claims to be the package of the program is not shown': {
    files: { 'package.json': '{"name":"agent","bin":"tools/agent"}', 'tools/agent': '#!/bin/sh\n' },
    program: 'tools/agent',
    shown: ['tools/agent'],
  },
  'a package with a folder of keys in it is not shown': {
    files: { 'all/package.json': '{"name":"agent","bin":"a.sh"}', 'all/a.sh': '#!/bin/sh\n', 'all/.ssh/id': 'x' },
    program: 'all/a.sh',
    shown: ['all/a.sh'],
  },
  'a vendor program behind a link is one file': {
    files: {
      '.local/bin/claude': '-> ~/.local/share/claude/versions/2.0',
      '.local/share/claude/versions/2.0': '\0ELF',
    },
    program: '.local/bin/claude',
    shown: ['.local/share/claude/versions/2.0'],
    links: { '.local/bin/claude': '.local/share/claude/versions/2.0' },
  },
  'a package of npm -g is shown, and not its neighbours': {
    files: {
      '.npm-global/bin/codex': `-> ../lib/node_modules/@openai/codex/bin/codex.js`,
      [`${codex}/package.json`]: '{"name":"@openai/codex","bin":{"codex":"bin/codex.js"},"dependencies":{"dep":"1"}}',
      [`${codex}/bin/codex.js`]: NODE,
      [`${codex}/node_modules/dep/index.js`]: '',
      '.npm-global/lib/node_modules/other/index.js': '',
    },
    program: '.npm-global/bin/codex',
    shown: [codex],
    links: { '.npm-global/bin/codex': `${codex}/bin/codex.js` },
  },
  'a package whose dependencies lie beside it is shown with them': {
    files: {
      '.bun/bin/gem': '-> ../install/global/node_modules/gem/gem.js',
      '.bun/install/global/node_modules/gem/package.json': '{"name":"gem","bin":"gem.js","dependencies":{"dep":"1"}}',
      '.bun/install/global/node_modules/gem/gem.js': NODE,
      '.bun/install/global/node_modules/dep/index.js': '',
    },
    program: '.bun/bin/gem',
    shown: ['.bun/install/global/node_modules'],
    links: { '.bun/bin/gem': '.bun/install/global/node_modules/gem/gem.js' },
  },
  'the script that pnpm writes leads to the package': {
    files: {
      '.pnpm/gem': '#!/bin/sh\nbasedir=$(dirname "$0")\nexec node  "$basedir/global/node_modules/gem/gem.js" "$@"\n',
      '.pnpm/global/node_modules/gem/package.json': '{"name":"gem","bin":"gem.js"}',
      '.pnpm/global/node_modules/gem/gem.js': NODE,
    },
    program: '.pnpm/gem',
    shown: ['.pnpm/gem', '.pnpm/global/node_modules/gem'],
  },
  'a link that is called by another name than the package gives shows the file alone': {
    files: {
      'work/agent': '-> ~/other/tool.sh',
      'other/package.json': '{"name":"other","bin":{"tool":"tool.sh"}}',
      'other/tool.sh': '#!/bin/sh\n',
      'other/.env': 'secret',
    },
    program: 'work/agent',
    shown: ['other/tool.sh'],
    links: { 'work/agent': 'other/tool.sh' },
  },
  'a script that passes control to a program of another project does not show that project': {
    files: {
      'work/agent': '#!/bin/sh\nexec ~/other/tool "$@"\n',
      'other/package.json': '{"name":"other","bin":{"tool":"tool"}}',
      'other/tool': '#!/bin/sh\n',
      'other/.env': 'secret',
    },
    program: 'work/agent',
    shown: ['work/agent', 'other/tool'],
  },
  'a script cannot have keys shown, whatever it names': {
    files: { 'work/agent.mjs': "import '../.ssh/id';\nimport './../tools/notes.txt';\nnew URL('../.ssh/id', 1)\n" },
    program: 'work/agent.mjs',
    shown: ['package.json', 'work/agent.mjs'],
  },
  'a link to a key shows nothing': { files: { 'work/agent': '-> ~/.ssh/id' }, program: 'work/agent', shown: [] },
  'a shim of a version manager is shown with its manager': {
    files: {
      '.asdf/shims/gem': '#!/usr/bin/env bash\nexec ~/.asdf/bin/asdf exec "gem" "$@"\n',
      '.asdf/bin/asdf': '#!/bin/sh\n',
      '.asdf/installs/gem/1/bin/gem': '',
      '.tool-versions': 'gem 1\n',
    },
    program: '.asdf/shims/gem',
    shown: ['.asdf', '.tool-versions'],
  },
  'folders named shims and versions make no version manager': {
    files: { 'all/shims/agent': '#!/bin/sh\n', 'all/versions/x': '', 'all/secret': '', 'shims/agent': '#!/bin/sh\n' },
    program: 'all/shims/agent',
    shown: ['all/shims/agent'],
  },
  'a home with shims and versions is not shown': {
    files: { 'shims/agent': '#!/bin/sh\n', 'bin/asdf': '#!/bin/sh\n' },
    program: 'shims/agent',
    shown: ['shims/agent'],
  },
  'volta chooses among its own programs': {
    files: { '.volta/bin/gem': '-> volta-shim', '.volta/bin/volta-shim': '\0ELF', '.volta/tools/image/gem/x': '' },
    program: '.volta/bin/gem',
    shown: ['.volta'],
  },
  'a program of pipx is shown with its environment, and the interpreter behind it': {
    files: {
      '.local/bin/snake': '-> ~/.local/pipx/venvs/snake/bin/snake',
      '.local/pipx/venvs/snake/bin/snake': '#!~/.local/pipx/venvs/snake/bin/python\n',
      '.local/pipx/venvs/snake/bin/python': '-> ~/.local/uv/python/3.12/bin/python3.12',
      '.local/pipx/venvs/snake/pyvenv.cfg': '',
      '.local/uv/python/3.12': '-> 3.12.3',
      '.local/uv/python/3.12.3/bin/python3.12': '\0ELF',
      '.local/uv/python/3.12.3/lib/python3.12/os.py': '',
    },
    program: '.local/bin/snake',
    shown: ['.local/pipx/venvs/snake', '.local/uv/python/3.12.3'],
    links: {
      '.local/bin/snake': '.local/pipx/venvs/snake/bin/snake',
      '.local/uv/python/3.12': '.local/uv/python/3.12.3',
    },
  },
  'a script of pip --user is shown with the packages of the user': {
    files: { '.local/bin/snake': '#!/usr/bin/python3\n', '.local/lib/python3.12/site-packages/x.py': '' },
    program: '.local/bin/snake',
    shown: ['.local/bin/snake', '.local/lib/python3.12'],
  },
  'an installed tree is shown as a whole': {
    files: { 'opt/snake/bin/snake': '\0ELF', 'opt/snake/lib/a.so': '', 'opt/snake/LICENSE': '' },
    program: 'opt/snake/bin/snake',
    shown: ['opt/snake'],
  },
  'a tree with anything else in it is not an installed one': {
    files: { 'mine/bin/snake': '\0ELF', 'mine/lib/a.so': '', 'mine/letters/a': '' },
    program: 'mine/bin/snake',
    shown: ['mine/bin/snake'],
  },
  'the interpreter is found on the PATH, and is shown too': {
    files: {
      'tools/agent.js': NODE,
      '.nvm/v24/bin/node': '\0ELF',
      '.nvm/v24/lib/x': '',
      'multishell/bin': '-> ../.nvm/v24/bin',
    },
    program: 'tools/agent.js',
    path: '~/multishell/bin',
    shown: ['.nvm/v24', 'package.json', 'tools/agent.js'],
    links: { 'multishell/bin': '.nvm/v24/bin' },
  },
  'code that a script imports is shown, file by file, with the packages it names': {
    files: {
      'work/package.json': '{"name":"work","type":"module"}',
      'work/agents/agent.js': "import { a } from './lib/a.js';\nimport z from 'zod/v4';\nimport fs from 'node:fs';\n",
      'work/agents/lib/a.js':
        "export * from '../../shared/b.js';\nconst c = require('./c');\nimport '../../../tools/d.js';\n",
      'work/agents/lib/c.js': '',
      'work/shared/b.js': '',
      'work/shared/unused.js': '',
      'work/node_modules/zod/v4.js': '',
      'work/.env': 'secret',
      'tools/d.js': '',
    },
    program: 'work/agents/agent.js',
    shown: [
      ...['work/agents/agent.js', 'work/agents/lib/a.js', 'work/agents/lib/c.js', 'work/node_modules'],
      ...['work/package.json', 'work/shared/b.js'],
    ],
  },
  'modules beside a Python script are shown': {
    files: {
      'work/agent.py': 'import os, wire\nfrom pack.inner import x\nfrom . import gone\n',
      'work/wire.py': 'from more import y\n',
      'work/more.py': '',
      'work/pack/__init__.py': '',
      'work/unused.py': '',
    },
    program: 'work/agent.py',
    shown: ['work/agent.py', 'work/more.py', 'work/pack', 'work/wire.py'],
  },
  'a package above the folder that the program starts in is not shown': {
    files: {
      'work/package.json': '{"name":"agent","bin":"agent.sh"}',
      'work/agent.sh': '#!/bin/sh\n',
      'work/src/a': '',
    },
    program: 'work/agent.sh',
    cwd: 'work/src',
    shown: ['work/agent.sh'],
  },
};

for (const [name, layout] of Object.entries(LAYOUTS)) {
  test(name, (t) => {
    const home = aHome(t, layout);
    const path = `${(layout.path ?? '').replace('~', home)}:/usr/bin:/bin`;
    const cwd = layout.cwd === undefined ? null : join(home, layout.cwd);
    const found = programFiles(join(home, layout.program), { homes: [home], path, cwd });
    const below = (each: string) => each.replace(`${home}/`, '');
    assert.deepEqual(found.paths.map(below).sort(), [...layout.shown].sort());
    const links = Object.fromEntries(found.links.map(({ at, target }) => [below(at), below(target)]));
    assert.deepEqual(links, layout.links ?? {});
  });
}
