import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { demoDriver } from './drivers/demo/demo-driver.ts';
import { processDriver } from './drivers/process/process-driver.ts';
import { type AgentSources, findAgents } from './find-agents.ts';

/** A home with a repository in it, and what its configuration finds there. */
function aHome(t: TestContext) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-agents-')));
  t.after(() => rmSync(home, { recursive: true }));
  const root = join(home, 'repository');
  const put = (path: string) => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o755);
    return file;
  };
  mkdirSync(root);
  const find = (agents: AgentSources['agents']) =>
    findAgents({
      agents,
      drivers: [processDriver, demoDriver],
      isWorkspace: true,
      root,
      homes: [home],
      path: `${join(home, 'bin')}:/usr/bin:/bin`,
      variables: { HOME: home },
      versions: { of: () => null },
    });
  const one = (command: string[]) => {
    const found = find({ tester: { driver: 'process', command } }).find(({ name }) => name === 'tester');
    assert.ok(found);
    return found;
  };
  return { home, root, put, find, one };
}

test('demo is always there, by its name', (t) => {
  const [demo, ...others] = aHome(t).find({});
  assert.deepEqual(demo, {
    name: 'demo',
    driver: 'demo',
    provider: 'LOCAL',
    model: 'demo',
    namedModel: null,
    role: 'developer',
    command: null,
    ownPaths: [],
    versionsRead: null,
    hasRemoteModel: false,
    timeoutSeconds: null,
    can: demoDriver.can,
    version: null,
    isLoggedIn: null,
    missing: null,
  });
  assert.deepEqual(others, []);
});

test('what an entry leaves out follows from its driver and its name', (t) => {
  const found = aHome(t).find({
    tester: { driver: 'process', command: ['sh'] },
    local: { driver: 'process', command: ['sh'], provider: 'local', model: 'tiny', role: 'reviewer' },
    odd: { driver: 'process', command: ['sh'], provider: 'acme', role: 'juggler', aop_versions_supported: ['1.x'] },
  });
  const facts = found.map(({ name, provider, model, role, versionsRead }) => [
    name,
    provider,
    model,
    role,
    versionsRead,
  ]);
  assert.deepEqual(facts, [
    ['demo', 'LOCAL', 'demo', 'developer', null],
    ['local', 'LOCAL', 'tiny', 'reviewer', null],
    ['odd', 'OTHER', 'odd', 'developer', ['1.x']],
    ['tester', 'OTHER', 'tester', 'developer', null],
  ]);
});

test('an agent whose driver is not built, or whose program is not there, says so', (t) => {
  const found = aHome(t).find({
    emma: { driver: 'codex' },
    gone: { driver: 'process', command: ['no-such-program'] },
    away: { driver: 'process', command: ['tools/gone.sh'] },
  });
  const [away, , emma, gone] = found.map(({ missing }) => missing ?? '');
  assert.match(emma ?? '', /no driver codex/);
  assert.match(gone ?? '', /no-such-program was not found/);
  assert.match(away ?? '', /tools\/gone\.sh was not found/);
});

test('a program named by a path lies where the configuration does; another is looked up on the PATH', (t) => {
  const { put, one } = aHome(t);
  const program = put('repository/tools/tester.sh');
  const onPath = put('bin/on-path');
  assert.deepEqual(one(['tools/tester.sh', '-x']).command, [program, '-x']);
  assert.deepEqual(one(['./tools/tester.sh']).ownPaths, [program]);
  const found = one(['on-path', 'src']);
  assert.deepEqual([found.command, found.missing, found.ownPaths], [['on-path', 'src'], null, [onPath]]);
});

test('the script of an interpreter is found from the configuration, and shown alone', (t) => {
  const { put, one } = aHome(t);
  const script = put('repository/tools/tester.mjs');
  put('repository/src/a.ts');
  const { command, ownPaths } = one(['node', '--no-warnings', 'tools/tester.mjs', 'src/a.ts']);
  assert.deepEqual(command, ['node', '--no-warnings', script, 'src/a.ts']);
  assert.deepEqual(ownPaths, [script]);
});

test('files that the user names for an agent are shown with it, by their real paths', (t) => {
  const { home, put, find } = aHome(t);
  const [script, words, notes] = ['repository/tools/a.mjs', 'repository/tools/words.md', 'notes/b.md'].map(put);
  symlinkSync(join(home, 'notes'), join(home, 'repository/notes'));
  const command = ['node', 'tools/a.mjs'];
  const files = ['tools/words.md', 'notes', '~/notes/b.md', 'tools/gone.md'];
  const found = find({ tester: { driver: 'process', command, files } }).find(({ name }) => name === 'tester');
  assert.deepEqual(found?.ownPaths, [script, words, join(home, 'notes'), notes]);
});

test('a script that an interpreter would run has to exist', (t) => {
  const { one, root, put } = aHome(t);
  assert.equal(one(['sh', 'tools/gone.sh']).missing, `its script ${join(root, 'tools/gone.sh')} does not exist`);
  assert.equal(one(['sh', '/no/such.sh']).missing, 'its script /no/such.sh does not exist');
  put('repository/tools/here.sh');
  for (const command of [
    ['sh', 'tools/here.sh'],
    ['sh', '-c', 'cat /no/such.sh'],
    ['cat', 'tools/gone.sh'],
    ['sh', 'word'],
  ])
    assert.equal(one(command).missing, null, command.join(' '));
});
