import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { scratchFolder } from '../../support/data-folder.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';
import { type RefusedStart, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import { TestRepository } from '../../support/test-repository.ts';

interface Planned {
  readonly beyond: { readonly readPaths: readonly string[]; readonly isWholeNetwork: boolean };
}

/** A home with a key in it, a repository, and an agent that writes into the workspace what it can read. */
function aPerson() {
  const home = realpathSync(scratchFolder('home'));
  const { root } = new TestRepository();
  const settings = join(home, '.config/baton/config.yaml');
  for (const name of ['.ssh', '.config/baton']) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, '.ssh/id'), 'the key\n');
  const script = join(home, 'agent.sh');
  const look = `cat ${home}/.ssh/id ${settings}; ls -A ${home}/.local/state/baton; echo more >> ${settings}`;
  writeFileSync(script, `#!/bin/sh\ncat > /dev/null\n( ${look} ) > seen.txt 2>&1\ntrue\n`, { mode: 0o755 });
  const agents = { agent: { driver: 'process', command: [script] } };
  const configure = (more: object = {}) => writeFileSync(settings, JSON.stringify({ agents, ...more }));
  configure();
  const environment = { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', BATON_DATA: '' };
  const baton = (folder: string, ...words: string[]) => runBaton(words, { folder, environment });
  const task = (access: object, workspace = root) => {
    const file = join(home, 'task.json');
    writeFileSync(file, JSON.stringify(taskFor('agent', workspace, { task: { access } })));
    return file;
  };
  return { home, root, baton, configure, task };
}

function refusedBy(run: { readonly stdout: string; readonly status: number | null }): string {
  const [answer] = linesOf<RefusedStart>({ ...run, stderr: '', extra: '' });
  return `${run.status} ${answer?.code} ${answer?.errors[0]?.message}`;
}

describe('what a TASK asks for is bounded by its operator', { skip: noBubblewrap }, () => {
  test('a key of the home and the whole network are refused by name, and nothing is created', async () => {
    const { home, root, baton, task } = aPerson();
    const keys = join(home, '.ssh');
    const file = task({ filesystem: { read_paths: [root, keys], write_paths: [root] }, network: 'FULL' });
    for (const flags of [[], ['--yes'], ['--dry-run'], ['--detach']]) {
      const run = await baton(root, 'run', file, '--json', ...flags);
      assert.match(refusedBy(run), /^2 E_PERMISSION_DENIED .*read .*\.ssh, use the whole network/, flags.join());
      assert.match(run.stderr, /--allow .*access\.allow.*--net full.*network\.max/);
    }
    const sent = await baton(root, 'send', file, '--json');
    assert.match(sent.stdout, /E_PERMISSION_DENIED/);
    assert.equal((await baton(root, 'task', 'list', '--json')).stdout, '');
    assert.ok(!existsSync(join(root, 'seen.txt')));
  });

  test('a flag, or the configuration, allows it; the plan lists it', async () => {
    const { home, root, baton, configure, task } = aPerson();
    const keys = join(home, '.ssh');
    const file = task({ filesystem: { read_paths: [root, keys], write_paths: [root] }, network: 'FULL' });
    const flags = ['--allow', keys, '--net', 'full'];
    const [plan] = linesOf<Planned>(await baton(root, 'run', file, '--json', '--dry-run', ...flags));
    assert.deepEqual([plan?.beyond.readPaths, plan?.beyond.isWholeNetwork], [[keys], true]);
    const told = (await baton(root, 'run', file, '--dry-run', ...flags)).stdout.replace(/\s+/g, ' ');
    assert.match(told, /reads .*\.ssh.* use the whole network|use the whole network.* reads .*\.ssh/);
    assert.equal((await baton(root, 'run', file, '--json', ...flags)).status, 3);
    assert.match(readFileSync(join(root, 'seen.txt'), 'utf8'), /the key/);
    configure({ access: { allow: ['~/.ssh'] }, network: { max: 'FULL' } });
    const allowed = await baton(
      root,
      'run',
      task({ filesystem: { read_paths: [root, keys], write_paths: [root] } }),
      '--json',
    );
    assert.equal(allowed.status, 3, allowed.stdout);
    assert.equal((await baton(root, 'run', file, '--json')).status, 3);
  });

  test("a repository's own file allows nothing until it is trusted", async () => {
    const { home, root, baton, task } = aPerson();
    writeFileSync(join(root, 'baton.yaml'), `access: { allow: [${home}] }\nnetwork: { max: FULL }\n`);
    const file = task({ filesystem: { read_paths: [root, home], write_paths: [root] }, network: 'FULL' });
    assert.match(refusedBy(await baton(root, 'run', file, '--json')), /E_PERMISSION_DENIED/);
    assert.equal((await baton(root, 'trust', '--yes')).status, 0);
    assert.equal((await baton(root, 'run', file, '--json')).status, 3);
  });

  test('a workspace that is the whole home is refused where nobody can be asked, and hides what Baton keeps there', async () => {
    const { home, baton, task } = aPerson();
    const data = ['--data', join(home, 'baton-data')];
    const words = ['run', 'look around', '--agent', 'agent', '--json', '--workspace', home, ...data];
    for (const run of [
      await baton(home, ...words),
      await baton(home, 'run', task({}, home), '--json', '--yes', ...data),
    ]) {
      assert.match(refusedBy(run), new RegExp(`^2 E_PERMISSION_DENIED .*write ${home}`));
    }
    assert.match(
      refusedBy(await baton(home, 'run', task({}, join(home, '.ssh')), '--json', ...data)),
      /E_PERMISSION_DENIED/,
    );
    const agreed = await baton(home, ...words, '--yes');
    assert.equal(agreed.status, 3, agreed.stdout + agreed.stderr);
    const seen = readFileSync(join(home, 'seen.txt'), 'utf8');
    assert.match(seen, /the key/);
    assert.doesNotMatch(seen, /driver|known/);
    assert.doesNotMatch(readFileSync(join(home, '.config/baton/config.yaml'), 'utf8'), /more/);
    assert.equal((await baton(home, 'run', task({}, home), '--json', '--allow', home, ...data)).status, 3);
  });
});
