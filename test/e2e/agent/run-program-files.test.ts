import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { scratchFolder } from '../../support/data-folder.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

/** Planted in every home: an agent that finds the word `secret` in one of them has got out. */
const SECRETS = ['.ssh/id_ed25519', '.config/gh/hosts.yml', '.aws/credentials', 'tools/notes.txt', 'versions/letter'];

/** Writes into the workspace what it can read of the home. */
const LOOKS = 'cat > /dev/null\n( cd "$HOME" && grep -rs "sec[r]et" . ) > seen.txt\necho started >> seen.txt\n';

interface Layout {
  readonly name: string;
  /** Path below the home → text, or `-> target` for a link. */
  readonly files: Readonly<Record<string, string>>;
  /** The agent's command, by a path below the home or as a name on the PATH. */
  readonly command: readonly string[];
  readonly path?: string;
  /** Paths below the home that the plan must list. */
  readonly shown: readonly string[];
}

const looksFromNode = `const { execSync } = require('node:child_process');
execSync(${JSON.stringify(LOOKS)}, { stdio: ['ignore', 'inherit', 'inherit'] });\n`;

const LAYOUTS: readonly Layout[] = [
  {
    name: 'a script in ~/tools',
    files: { 'tools/agent': `#!/bin/sh\n${LOOKS}` },
    command: ['~/tools/agent'],
    shown: ['tools/agent'],
  },
  {
    name: 'a script on the PATH in ~/.local/bin, by #!/usr/bin/env',
    files: { '.local/bin/agent': `#!/usr/bin/env bash\n${LOOKS}`, '.local/share/secret': 'secret' },
    command: ['agent'],
    path: '~/.local/bin',
    shown: ['.local/bin/agent'],
  },
  {
    name: 'a vendor program: a link in ~/.local/bin to a version',
    files: {
      '.local/bin/agent': '-> ~/.local/share/agent/versions/1.0',
      '.local/share/agent/versions/1.0': `#!/bin/sh\n${LOOKS}`,
      '.local/share/agent/token': 'secret',
    },
    command: ['agent'],
    path: '~/.local/bin',
    shown: ['.local/share/agent/versions/1.0'],
  },
  {
    name: 'a shim in a home that has versions',
    files: {
      'shims/agent': '#!/bin/sh\nexec ~/real/agent "$@"\n',
      'real/agent': `#!/bin/sh\n${LOOKS}`,
      'real/x': 'secret',
    },
    command: ['agent'],
    path: '~/shims',
    shown: ['real/agent', 'shims/agent'],
  },
  {
    name: 'a package of npm -g with a dependency, by #!/usr/bin/env node',
    files: {
      '.npm-global/bin/agent': '-> ../lib/node_modules/agent/bin/agent.js',
      '.npm-global/lib/node_modules/agent/package.json':
        '{"name":"agent","bin":"bin/agent.js","dependencies":{"d":"1"}}',
      '.npm-global/lib/node_modules/agent/bin/agent.js': "#!/usr/bin/env node\nrequire('d');\n",
      '.npm-global/lib/node_modules/agent/node_modules/d/index.js': looksFromNode,
      '.npm-global/lib/node_modules/other/index.js': 'secret',
    },
    command: ['agent'],
    path: '~/.npm-global/bin',
    shown: ['.npm-global/lib/node_modules/agent'],
  },
  {
    name: 'a script of Node with a module beside it',
    files: { 'work/agent.mjs': "import './look.cjs';\n", 'work/look.cjs': looksFromNode, 'work/.env': 'secret' },
    command: ['node', '~/work/agent.mjs'],
    shown: ['work/agent.mjs', 'work/look.cjs'],
  },
];

function aHome({ files }: Layout): string {
  const home = scratchFolder('home');
  const planted = Object.fromEntries(SECRETS.map((name) => [name, 'secret\n']));
  for (const [name, text] of Object.entries({ ...planted, 'package.json': '{}', ...files })) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3).replace(/^~/, home), file);
    else {
      writeFileSync(file, text.replaceAll('~/', `${home}/`));
      chmodSync(file, 0o755);
    }
  }
  return home;
}

describe('the program of an agent, in a home with secrets', { skip: noBubblewrap }, () => {
  for (const layout of LAYOUTS) {
    test(`${layout.name} starts, and brings nothing of the home along but itself`, async () => {
      const home = aHome(layout);
      const { root } = new TestRepository();
      const command = layout.command.map((word) => word.replace(/^~/, home));
      const config = { agents: { agent: { driver: 'process', command } } };
      mkdirSync(join(home, '.config/baton'), { recursive: true });
      writeFileSync(join(home, '.config/baton/config.yaml'), JSON.stringify(config));
      const path = [layout.path?.replace(/^~/, home), dirname(process.execPath), process.env['PATH']];
      const environment = {
        ...{ HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', BATON_DATA: '' },
        PATH: path.filter(Boolean).join(':'),
      };
      const run = (...flags: string[]) =>
        runBaton(['run', 'look around', '--agent', 'agent', '--yes', ...flags], { folder: root, environment });
      const planned = await run('--dry-run', '--json');
      const [plan] = linesOf<{ programPaths: string[] }>(planned);
      const listed = plan?.programPaths.filter((file) => file.startsWith(`${home}/`)) ?? [];
      const wanted = layout.shown.map((name) => join(home, name));
      assert.deepEqual(
        listed.filter((file) => file !== join(home, 'package.json')).sort(),
        wanted.sort(),
        planned.stderr,
      );
      const told = (await run('--dry-run')).stdout.replace(/\s+/g, '');
      for (const file of wanted) assert.ok(told.includes(file), `${file}: ${told}`);
      const done = await run('--json');
      const seen = readFileSync(join(root, 'seen.txt'), 'utf8');
      assert.equal(seen, 'started\n', done.stdout + done.stderr);
    });
  }
});
