import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statfsSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { scratchFolder } from '../../support/data-folder.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';
import { type RefusedStart, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

const EXT4 = 0xef53;
/** The names of a folder that changed within this time are not kept. */
const SETTLED_MS = 2_000;

interface OwnExtension {
  readonly extensions: { readonly x_baton: { readonly executed_by_git: readonly { readonly path: string }[] } };
}

/** A person with a home, a repository to work in, and an agent that runs a shell script. */
function aPerson() {
  const home = scratchFolder('home');
  const { root } = new TestRepository();
  const environment = { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', BATON_DATA: '' };
  const script = join(home, 'agent.sh');
  mkdirSync(join(home, '.config/baton'), { recursive: true });
  const agents = { agent: { driver: 'process', command: [script] } };
  writeFileSync(join(home, '.config/baton/config.yaml'), JSON.stringify({ agents }));
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  const baton = (folder: string, ...words: string[]) => runBaton(words, { folder, environment });
  const run = async (commands: string, ...flags: string[]) => {
    const text = `#!/bin/sh\ncat > /dev/null\n( ${commands} ) > seen.txt 2>&1\ntrue\n`;
    writeFileSync(script, text, { mode: 0o755 });
    const done = await baton(root, 'run', 'look around', '--agent', 'agent', '--yes', '--json', ...flags);
    assert.ok(existsSync(join(root, 'seen.txt')), done.stdout + done.stderr);
    return { done, seen: readFileSync(join(root, 'seen.txt'), 'utf8') };
  };
  return { home, root, baton, run };
}

describe('data folders inside of a grant', { skip: noBubblewrap }, () => {
  test('a data folder that is named through links is hidden where it really lies', async () => {
    const { home, root, run } = aPerson();
    const data = join(root, 'kept', 'state');
    mkdirSync(data, { recursive: true, mode: 0o700 });
    symlinkSync(join(root, 'kept'), join(home, 'kept'));
    symlinkSync(join(home, 'kept', 'state'), join(home, 'data'));
    const look = 'cat kept/state/node.json; ls -A kept/state; mv kept moved; echo x > kept/state/config.yaml';
    const { seen } = await run(look, '--data', join(home, 'data'));
    assert.doesNotMatch(seen, /token|ledger/);
    assert.match(seen, /Read-only file system/);
    assert.ok(existsSync(join(data, 'ledger.sqlite')) && !existsSync(join(root, 'moved')));
    assert.ok(!existsSync(join(data, 'config.yaml')));
  });

  test('data folders of other projects are hidden, however deep and whatever their names', async () => {
    const { root, baton, run } = aPerson();
    const projects = ['a/b/c/d/e/f/g/h/project', 'node_modules/project'].map((name) => join(root, name));
    for (const project of projects) {
      mkdirSync(project, { recursive: true });
      assert.equal((await baton(project, 'init', '--data', join(project, '.baton'))).status, 0);
    }
    const copied = join(root, 'a/b/copied-by-hand');
    mkdirSync(copied, { recursive: true });
    for (const name of ['ledger.sqlite', 'node.json', 'config.yaml']) writeFileSync(join(copied, name), 'secret');
    const folders = [...projects.map((project) => join(project, '.baton')), copied];
    const before = folders.map((folder) => readFileSync(join(folder, 'config.yaml'), 'utf8'));
    const look = folders.map((folder) => {
      const path = folder.slice(root.length + 1);
      return `ls -A ${path}; echo changed >> ${path}/config.yaml; mv ${path} gone`;
    });
    const { seen } = await run(look.join('\n'));
    assert.doesNotMatch(seen, /ledger|config\.yaml$|secret/m);
    assert.deepEqual(
      folders.map((folder) => readFileSync(join(folder, 'config.yaml'), 'utf8')),
      before,
    );
  });

  test('a TASK that names a path in the data folder of another project is refused', async () => {
    const { root, baton } = aPerson();
    const other = join(root, 'other');
    mkdirSync(other);
    assert.equal((await baton(other, 'init', '--data', join(other, '.baton'))).status, 0);
    const file = join(root, 'task.json');
    const filesystem = { read_paths: [root], write_paths: [root, join(other, '.baton', 'config.yaml')] };
    writeFileSync(file, JSON.stringify(taskFor('agent', root, { task: { access: { filesystem } } })));
    const run = await baton(root, 'run', './task.json', '--json');
    const [refused] = linesOf<RefusedStart>(run);
    assert.deepEqual([run.status, refused?.code], [2, 'E_PERMISSION_DENIED'], run.stdout);
    assert.match(refused?.errors[0]?.message ?? '', /other\/\.baton\/config\.yaml lies in a data folder/);
  });

  test('a data folder that came since the last run is hidden, and a repository that the agent makes is told', async () => {
    const { root, run } = aPerson();
    const known = join(root, 'known', 'folder');
    mkdirSync(known, { recursive: true });
    while (Date.now() - lstatSync(known).ctimeMs <= SETTLED_MS) await setTimeout(100);
    await run('true');
    const saved = readFileSync(join(root, '.baton', 'folder-names.json'), 'utf8');
    if (statfsSync(root).type === EXT4) assert.match(saved, /known\/folder/);
    const { atime, mtime } = lstatSync(known);
    writeFileSync(join(known, 'node.key'), 'secret');
    utimesSync(known, atime, mtime);
    const { seen, done } = await run('cat known/folder/node.key; git init -q known/own');
    assert.doesNotMatch(seen, /secret/);
    const executed = linesOf<OwnExtension>(done).at(-1)?.extensions.x_baton.executed_by_git ?? [];
    assert.ok(
      executed.some(({ path }) => path === 'known/own/.git'),
      JSON.stringify(executed),
    );
  });
});
