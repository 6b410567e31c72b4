import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { linesOf, runBaton } from '../support/run-baton.ts';

const CONFIG = `default_agent: tester
agents:
  tester: { driver: process, command: [sh, tools/tester.sh], role: reviewer, model: tiny }
  gone: { driver: process, command: [no-such-program] }
  emma: { driver: codex, model: gpt-5.3-codex }
`;

/** A home whose configuration names three agents, and a folder to call from. */
function aHome(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'baton-agents-'));
  t.after(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, '.config', 'baton'), { recursive: true });
  writeFileSync(join(home, '.config', 'baton', 'config.yaml'), CONFIG);
  const folder = join(home, 'work');
  mkdirSync(folder);
  const environment = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
  return { folder, call: (...args: string[]) => runBaton(args, { folder, environment }) };
}

test('agents lists who is there, ready or why not, and makes nothing', async (t) => {
  const { folder, call } = aHome(t);
  const found = linesOf<Record<string, unknown>>(await call('agents', '--json'));
  assert.deepEqual(
    found.map(({ name, driver, provider, model, role, isReady, isDefault }) => [
      name,
      driver,
      provider,
      model,
      role,
      isReady,
      isDefault,
    ]),
    [
      ['demo', 'demo', 'LOCAL', 'demo', 'developer', true, false],
      ['emma', 'codex', 'CODEX', 'gpt-5.3-codex', 'developer', false, false],
      ['gone', 'process', 'OTHER', 'gone', 'developer', false, false],
      ['tester', 'process', 'OTHER', 'tiny', 'reviewer', true, true],
    ],
  );
  assert.equal(existsSync(join(folder, '.baton')), false);
});

test('for a person each agent is one line with a reason', async (t) => {
  const { status, stdout } = await aHome(t).call('agents');
  assert.equal(status, 0);
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    'demo    demo     LOCAL  demo           ready',
    'emma    codex    CODEX  gpt-5.3-codex  this Baton has no driver codex yet',
    'gone    process  OTHER  gone           no-such-program was not found (ENOENT)',
    'tester  process  OTHER  tiny           ready  (default)',
  ]);
});

test('agents takes no words', async (t) => {
  const { status, stderr } = await aHome(t).call('agents', 'emma');
  assert.equal(status, 2);
  assert.match(stderr, /takes no arguments/);
});
