import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { AGENT_DRIVERS } from '../../../src/node/agents/agent-drivers.ts';
import { linesOf, runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';

/** A driver that the configuration knows and this Baton does not have; a program that is not there will do as well. */
const NOT_BUILT = ['acp', 'opencode', 'gemini'].find((name) => AGENT_DRIVERS.every((driver) => driver.name !== name));
const LACKS =
  NOT_BUILT === undefined ? 'no-such-emma was not found (ENOENT)' : `this Baton has no driver ${NOT_BUILT} yet`;
const DRIVER = NOT_BUILT ?? 'process';

const CONFIG = `default_agent: tester
agents:
  tester: { driver: process, command: [sh, tools/tester.sh], role: reviewer, model: tiny }
  gone: { driver: process, command: [no-such-program] }
  emma: { driver: ${DRIVER}, provider: codex, model: gpt-5.3-codex, command: [no-such-emma] }
`;

const NO_KEYS = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '', OPENAI_API_KEY: '' };

/** A vendor's program as npm installs it. It fails if it is started. */
function installed(home: string, name: string, version: string): void {
  const folder = join(home, 'lib', 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version }));
  writeFileSync(join(folder, 'cli'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const program = { '@anthropic-ai/claude-code': 'claude', '@openai/codex': 'codex' }[name] ?? name;
  symlinkSync(join(folder, 'cli'), join(home, 'bin', program));
}

/** A home whose configuration names three agents, and a folder to call from. */
function aHome(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'baton-agents-'));
  t.after(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, '.config', 'baton'), { recursive: true });
  writeFileSync(join(home, '.config', 'baton', 'config.yaml'), CONFIG);
  const folder = join(home, 'work');
  mkdirSync(join(folder, 'tools'), { recursive: true });
  writeFileSync(join(folder, 'tools', 'tester.sh'), '');
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const environment = { ...NO_KEYS, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), PATH: `${bin}:/usr/bin:/bin` };
  return { home, bin, folder, call: (...args: string[]) => runBaton(args, { folder, environment }) };
}

test('agents lists who is there, ready or why not, and makes nothing', async (t) => {
  const { folder, call } = aHome(t);
  const found = linesOf<Record<string, unknown>>(await call('agents', '--json'));
  assert.deepEqual(
    found.map(({ name, driver, provider, model, ready }) => [name, driver, provider, model, ready]),
    [
      ['demo', 'demo', 'LOCAL', 'demo', true],
      ['emma', DRIVER, 'CODEX', 'gpt-5.3-codex', false],
      ['gone', 'process', 'OTHER', 'gone', false],
      ['tester', 'process', 'OTHER', 'tiny', true],
    ],
  );
  assert.equal(existsSync(join(folder, '.baton')), false);
});

test('for a person each agent has a line with a reason, and the rest of the vendors how to get them', {
  skip: noBubblewrap,
}, async (t) => {
  const { status, stdout } = await aHome(t).call('agents');
  assert.equal(status, 0);
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}/g, ' | ')),
    [
      'demo | demo | demo | ready',
      ' | sandboxed · cost live · thoughts',
      `emma | ${DRIVER} | gpt-5.3-codex | ${LACKS}`,
      'gone | process | gone | no-such-program was not found (ENOENT)',
      'tester | process | tiny | ready | (default)',
      ' | sandboxed · cost live · thoughts',
      '',
      'not installed:',
      ' | Claude Code | npm i -g @anthropic-ai/claude-code',
      ' | Codex | npm i -g @openai/codex',
      ' | Gemini CLI | npm i -g @google/gemini-cli',
      ' | opencode | npm i -g opencode-ai',
    ],
  );
});

test('the JSON of an agent has exactly the fields that programs rely on', async (t) => {
  const { home, call } = aHome(t);
  installed(home, '@anthropic-ai/claude-code', '2.1.325');
  const found = linesOf<Record<string, unknown>>(await call('agents', '--json'));
  const { sandboxed, ...claude } = found.find(({ name }) => name === 'claude') ?? {};
  assert.equal(typeof sandboxed, 'boolean');
  assert.deepEqual(claude, {
    name: 'claude',
    driver: 'claude',
    provider: 'CLAUDE',
    model: 'claude',
    version: '2.1.325',
    ready: false,
    reason: 'not logged in: run claude and type /login, or set ANTHROPIC_API_KEY',
    loggedIn: false,
    can: { say: true, resume: true, askPermission: true, usage: 'live', thoughts: true },
  });
});

test('a run by an agent that is not logged in or too old is refused before it starts, with what to do', async (t) => {
  const { home, call } = aHome(t);
  rmSync(join(home, '.config', 'baton', 'config.yaml'));
  installed(home, '@anthropic-ai/claude-code', '2.1.325');
  installed(home, '@openai/codex', '0.20.0');
  const claude = await call('run', 'do it', '--agent', 'claude', '--yes');
  assert.equal(claude.status, 2);
  assert.match(claude.stderr, /claude is set up, but not ready: not logged in: run claude and type \/login/);
  const codex = await call('run', 'do it', '--agent', 'codex', '--yes');
  assert.equal(codex.status, 2);
  assert.match(codex.stderr, /Codex 0\.20\.0 is too old: Baton needs .* or newer; npm i -g @openai\/codex/);
  const unnamed = await call('run', 'do it', '--yes');
  assert.equal(unnamed.status, 2);
  assert.match(unnamed.stderr, /no agent is ready\n.*claude: not logged in: .*\n.*codex: Codex 0\.20\.0 is too old/);
  assert.deepEqual(linesOf(await call('task', 'list', '--json')), []);
});

test('without any agent a run says so, with the commands that install one, and offers demo', async (t) => {
  const { home, call } = aHome(t);
  rmSync(join(home, '.config', 'baton', 'config.yaml'));
  const { status, stderr } = await call('run', 'do it', '--yes');
  assert.equal(status, 2);
  assert.match(stderr, /no agent is installed\n.*Claude Code: npm i -g @anthropic-ai\/claude-code\n/);
  assert.match(stderr, /try: --agent demo, which needs no model/);
});

test('agents takes no words', async (t) => {
  const { status, stderr } = await aHome(t).call('agents', 'emma');
  assert.equal(status, 2);
  assert.match(stderr, /takes no arguments/);
});

test('a missing script is named by agents and by doctor', async (t) => {
  const { folder, call } = aHome(t);
  rmSync(join(folder, 'tools', 'tester.sh'));
  assert.match(
    (await call('agents')).stdout,
    /^tester .* its script .*tools\/tester\.sh does not exist {2}\(default\)$/m,
  );
  const doctor = await call('doctor');
  assert.equal(doctor.status, 1);
  assert.match(doctor.stdout, /^wrong +agent tester: its script .*tools\/tester\.sh does not exist/m);
  assert.match(doctor.stdout, /^wrong +agent gone: no-such-program was not found/m);
  assert.ok(doctor.stdout.includes(`wrong  agent emma: ${LACKS}\n`), doctor.stdout);
});

test('the examples of init name drivers that this Baton has, and are a valid configuration', async (t) => {
  const { folder, call } = aHome(t);
  await call('init');
  const file = join(folder, '.baton', 'config.yaml');
  const text = readFileSync(file, 'utf8');
  const drivers = [...text.matchAll(/driver: (\w+)/g)].map(([, driver = '']) => driver);
  assert.ok(drivers.length > 0);
  for (const driver of drivers)
    assert.ok(
      AGENT_DRIVERS.some(({ name }) => name === driver),
      driver,
    );
  writeFileSync(
    file,
    text
      .split('\n')
      .slice(3)
      .map((line) => line.replace(/^# /, ''))
      .join('\n'),
  );
  assert.equal((await call('config', 'show')).status, 0);
});

test('an untrusted baton.yaml is named where its agents and checks are missed', async (t) => {
  const { folder, call } = aHome(t);
  execFileSync('git', ['init', '-q'], { cwd: folder });
  const agent = '{ driver: process, command: [sh, tools/tester.sh] }';
  writeFileSync(join(folder, 'baton.yaml'), `agents: { team: ${agent} }\nchecks: ["true"]\n`);
  const why = /baton\.yaml names it, and you have not trusted that file: baton trust/;
  assert.match((await call('agents')).stdout, why);
  const named = await call('run', 'do it', '--agent', 'team', '--yes');
  assert.equal(named.status, 2);
  assert.match(
    named.stderr,
    /team is set up, but not ready: .*baton\.yaml names it, and you have not trusted that file: baton trust\n(.*\n)*try: baton trust shows what/,
  );
  const planned = await call('run', 'do it', '--agent', 'demo', '--dry-run');
  assert.match(
    planned.stdout,
    /^note {4}ignored until you trust .*baton\.yaml: agents\.team, checks \(baton trust\)$/m,
  );
  const asked = await call('trust');
  assert.equal(asked.status, 2);
  assert.match(
    asked.stderr,
    /would let Baton use these settings, .*\n {2}agents\.team = .*tester\.sh.*\n {2}checks = \["true"\]\n/,
  );
  assert.match(asked.stderr, /nothing was trusted/);
  assert.match((await call('agents')).stdout, why);
  assert.equal((await call('trust', '--yes')).status, 0);
  assert.match((await call('agents')).stdout, /^team .* ready$/m);
});

test('beside a running node agents lists those that the node sees, and names a program that only this shell finds', async (t) => {
  const { home, bin, folder, call } = aHome(t);
  await call('init');
  const started = await call('up', '-d');
  assert.equal(started.status, 0, started.stderr);
  try {
    const elsewhere = join(home, 'elsewhere');
    mkdirSync(elsewhere);
    installed(home, '@openai/codex', '0.166.0');
    renameSync(join(bin, 'codex'), join(elsewhere, 'codex'));
    const PATH = `${elsewhere}:${bin}:/usr/bin:/bin`;
    const environment = { ...NO_KEYS, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), PATH };
    const shell = (...args: string[]) => runBaton(args, { folder, environment });
    const rows = linesOf<{ name: string }>(await shell('agents', '--json'));
    assert.equal(
      rows.some(({ name }) => name === 'codex'),
      false,
      'the node cannot start it',
    );
    const { stdout, stderr } = await shell('agents');
    assert.match(
      `${stdout}${stderr}`,
      /the running node does not see codex: its PATH is another\ntry: baton down && baton up -d/,
    );
    assert.doesNotMatch(stdout, /npm i -g @openai\/codex/);
  } finally {
    await call('down');
  }
});
