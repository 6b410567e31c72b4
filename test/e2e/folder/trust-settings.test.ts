import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { codeOf, Repository, scratch } from '../../support/node/trust-repository.ts';
import { BATON, linesOf, runBaton } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const TEAM = `checks: ["npm test"]
allow_shell: true
default_agent: magneto
agents:
  emma: { driver: codex }
  evil: { driver: process, command: [sh, -c, "touch pwned"] }
  quiet: { driver: acp, command: [x] }
network: { restricted: [npm] }
budgets: { run_usd: 50, day_usd: 1 }
prices: { gpt-5.3: { date: 2026-11-01, input_usd: 0, output_usd: 0 } }
worktree: { setup: ["npm ci"], include: [.env] }
http: { port: 7420, host: 0.0.0.0, tls_cert: /team/cert.pem, tls_key: /team/key.pem }
`;

test("of a repository's own file only what names no command and widens no right counts, until it is trusted", async () => {
  const team = new Repository('team');
  team.write('baton.yaml', TEAM);
  mkdirSync(join(team.environment['HOME'] ?? '', '.config', 'baton'), { recursive: true });
  writeFileSync(
    join(team.environment['HOME'] ?? '', '.config', 'baton', 'config.yaml'),
    'budgets: { run_usd: 5, day_usd: 5 }\n',
  );
  const keys = async () =>
    linesOf<{ key: string; value: unknown }>(await team.run('config', 'show', '--origin', '--json')).map(
      ({ key, value }) => `${key}=${JSON.stringify(value)}`,
    );
  const harmless = [
    'agents.emma={"driver":"codex"}',
    'budgets.day_usd=1',
    'budgets.run_usd=5',
    'default_agent="magneto"',
    'http.host="127.0.0.1"',
    'http.port=7420',
  ];
  assert.deepEqual(await keys(), harmless);
  assert.match(
    (await team.run('config', 'show')).stderr,
    /ignored until you trust .*checks, allow_shell, agents\.evil, agents\.quiet/,
  );
  const trusted = await team.run('trust', '--yes', '--json');
  const [{ granted } = { granted: [] }] = linesOf<{ granted: { key: string }[] }>(trusted);
  assert.ok(granted.some(({ key }) => key === 'agents.evil'));
  assert.ok((await keys()).includes('checks=["npm test"]'));
  assert.ok((await keys()).includes('budgets.run_usd=50'));
  assert.ok((await keys()).includes('http.host="0.0.0.0"'));
  team.write('baton.yaml', TEAM.replace('npm test', 'npm  test'));
  assert.deepEqual(await keys(), harmless);
});

const PLACES: readonly (readonly [place: string, port: number])[] = [
  ['built in', 0],
  ['mine', 7001],
  ['team', 7002],
  ['folder', 7003],
  ['BATON_HTTP_PORT', 7004],
];

test("later wins: built in, mine, the team's, the folder's, the variable, the flag", async () => {
  let here = new Repository('places', 'nobody yet');
  await here.run('init');
  const home = here.environment['HOME'] ?? '';
  const put: Record<string, (port: number) => void> = {
    mine: (port) => {
      mkdirSync(join(home, '.config', 'baton'), { recursive: true });
      writeFileSync(join(home, '.config', 'baton', 'config.yaml'), `http: { port: ${port} }\n`);
    },
    team: (port) => here.write('baton.yaml', `$schema: https://example.test/baton.json\nhttp: { port: ${port} }\n`),
    folder: (port) => here.write('.baton/config.yaml', `http: { port: ${port} }\n`),
    BATON_HTTP_PORT: (port) => {
      here = here.with({ BATON_HTTP_PORT: String(port) });
    },
  };
  for (const [place, port] of PLACES) {
    put[place]?.(port);
    const [setting] = linesOf<{ value: number; origin: string }>(
      await here.run('config', 'get', 'http.port', '--json'),
    );
    assert.equal(setting?.value, port, place);
  }
  const up = linesOf<{ url: string }>(await here.run('up', '-d', '--port', '0', '--json'))[0];
  assert.doesNotMatch(up?.url ?? ':7004', /:700\d$/);
  await here.run('down');
});

const BROKEN: readonly (readonly [text: string, message: RegExp])[] = [
  ['cheks: []', /cheks: is not a known field; did you mean checks\?/],
  ['agents: { emma: { drivr: codex } }', /agents\.emma\.drivr: is not a known field; did you mean driver\?/],
  ['agents: { emma: { driver: codx } }', /agents\.emma\.driver: "codx" is not one of/],
  ['agents: { x: { driver: process } }', /agents\.x\.command: is required/],
  ['http: { port: 70000 }', /at most 65535/],
  ['http: { port: "7" }', /must be a/],
  ['http: { host: node.example }', /http\.host: .*an IP address/],
  ['http: { tls_cert: cert.pem }', /http\.tls_cert: .*a whole path/],
  ['checks: npm test', /must be a list/],
  ['worktree: { include: [../../.ssh/id] }', /points outside of the repository/],
  ['a: &a [*a]', /./],
  ['x: !!js/function "f"', /./],
  ['http: { port: 1 }\nhttp: { port: 2 }', /more than once/],
  ['[', /YAML/],
];

for (const [text, message] of BROKEN) {
  test(`refused as configuration: ${text.slice(0, 50)}`, async () => {
    const broken = new Repository(`broken ${BROKEN.findIndex(([each]) => each === text)}`);
    broken.write('baton.yaml', text);
    const run = await broken.run('config', 'show', '--json');
    assert.deepEqual([run.status, codeOf(run)], [2, 'invalid_config']);
    assert.match(run.stderr, message);
    assert.match(run.stderr, /baton\.yaml/);
    assert.equal((await broken.run('task', 'list')).status, 0, 'what needs no configuration works');
  });
}

test('set keeps comments, writes nothing that is not valid, and edit takes over only what is', async () => {
  const here = new Repository('edited');
  await here.run('init');
  here.write('.baton/config.yaml', '# mine\nhttp:\n  port: 1 # low\n');
  assert.equal((await here.run('config', 'set', 'http.port', '7420')).status, 0);
  assert.equal((await here.run('config', 'set', 'checks', '[npm test, npm run lint]')).status, 0);
  const kept = readFileSync(join(here.path, '.baton', 'config.yaml'), 'utf8');
  assert.match(kept, /^# mine\nhttp:\n {2}port: 7420 # low\nchecks:/);
  for (const [key, value] of [
    ['http.port', '70000'],
    ['http.prt', '1'],
    ['checks', '['],
    ['nothing', '1'],
  ]) {
    assert.equal((await here.run('config', 'set', key ?? '', value ?? '')).status, 2);
    assert.equal(readFileSync(join(here.path, '.baton', 'config.yaml'), 'utf8'), kept);
  }
  const editor = join(scratch, 'editor.sh');
  writeFileSync(editor, '#!/bin/sh\necho "nonsense: 1" > "$1"\n', { mode: 0o700 });
  const edited = await here.with({ VISUAL: '', EDITOR: editor }).run('config', 'edit');
  assert.equal(edited.status, 2);
  assert.match(edited.stderr, /try: your text is kept in /);
  assert.equal(readFileSync(join(here.path, '.baton', 'config.yaml'), 'utf8'), kept);
  writeFileSync(editor, '#!/bin/sh\necho "default_agent: zed" > "$1"\n', { mode: 0o700 });
  const drafts = join(scratch, 'drafts');
  mkdirSync(drafts);
  const valid = await here.with({ VISUAL: '', EDITOR: editor, TMPDIR: drafts }).run('config', 'edit');
  assert.deepEqual([valid.status, readdirSync(drafts)], [0, []], 'nothing of it is left behind');
  assert.equal((await here.run('config', 'get', 'default_agent')).stdout, 'zed\n');
});

/** Simulates a machine without a sandbox: its program is hidden from the whole command. */
const UNHELD = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap', '--', BATON];

test('a configuration that a run changed is not trusted any more, and the report says so', {
  skip: noBubblewrap,
}, async () => {
  const here = new Repository('changed by a run', 'somebody else');
  await here.run('init');
  const agent = join(scratch, 'changes.sh');
  const mine = join(here.environment['HOME'] ?? '', '.config', 'baton', 'config.yaml');
  mkdirSync(join(mine, '..'), { recursive: true });
  writeFileSync(mine, 'budgets: { run_usd: 5 }\n');
  writeFileSync(agent, `#!/bin/sh\necho 'allow_shell: true' | tee -a .baton/config.yaml baton.yaml >> "${mine}"\n`, {
    mode: 0o755,
  });
  here.write('.baton/config.yaml', `agents:\n  a: { driver: process, command: [${agent}] }\n`);
  const settings = async () =>
    linesOf<{ key: string }>(await here.run('config', 'show', '--origin', '--json')).map(({ key }) => key);
  assert.ok((await settings()).includes('agents.a'));
  const words = ['run', 'change it', '--agent', 'a', '--yes', '--json'];
  const { stdout } = await runBaton([...UNHELD, ...words], {
    program: 'bwrap',
    folder: here.path,
    environment: here.environment,
  });
  const response = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    execution_summary: { warnings: string[] };
  };
  const told = response.execution_summary.warnings.filter((warning) => /until you have read it/.test(warning));
  const changed = [join(here.path, '.baton', 'config.yaml'), join(here.path, 'baton.yaml'), mine];
  for (const file of changed)
    assert.ok(
      told.some((warning) => warning.includes(file)),
      `${file}: ${told.join()}`,
    );
  assert.deepEqual(
    (await settings()).filter((key) => /agents|shell|budgets/.test(key)),
    [],
  );
  assert.match((await here.run('config', 'show')).stderr, /ignored until you trust/);
  here.write('.baton/config.yaml', `agents:\n  a: { driver: process, command: [${agent}] } # mine\n`);
  assert.ok(!(await settings()).includes('agents.a'), 'another edit alone does not bring the trust back');
  assert.equal((await here.run('trust', '--yes')).status, 0);
  assert.ok((await settings()).includes('agents.a'));
});

test('an earlier baton.yaml does not count again after a later one was trusted', async () => {
  const team = new Repository('went back');
  const isTrusted = async () =>
    linesOf<{ key: string }>(await team.run('config', 'show', '--origin', '--json')).some(
      ({ key }) => key === 'checks',
    );
  for (const check of ['rm -rf build', 'npm test']) {
    team.write('baton.yaml', `checks: ["${check}"]\n`);
    await team.run('trust', '--yes');
    assert.ok(await isTrusted());
  }
  team.write('baton.yaml', 'checks: ["rm -rf build"]\n');
  assert.ok(!(await isTrusted()));
});
