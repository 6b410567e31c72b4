import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import packageJson from '../../../package.json' with { type: 'json' };
import { BATON, linesOf, ROOT, runBaton } from '../../support/run-baton.ts';

const TASK = join(ROOT, 'test', 'corpus', 'aop', 'accepted', 'task-minimal.json');
const COMMANDS = [
  'run',
  'logs',
  'trace',
  'say',
  'answer',
  'stop',
  'continue',
  'feedback',
  'report',
  'review',
  'diff',
  'apply',
  'discard',
  'undo',
  'rewind',
  'verify',
  'task',
  'session',
  'status',
  'watch',
  'events',
  'receipt',
  'agents',
  'up',
  'open',
  'down',
  'doctor',
  'config',
  'trust',
  'init',
  'clean',
  'backup',
  'restore',
  'rebuild',
  'node',
  'capability',
  'message',
  'invite',
  'agent-client',
  'audit',
  'completion',
  'send',
  'afp',
  'check',
  'schema',
];

interface Refusal {
  readonly verdict: string;
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly hint: string;
}

test('the version is that of the package, however it is asked for', async () => {
  for (const args of [['--version'], ['-V'], ['--version', '--no-color']]) {
    const run = await runBaton(args);
    assert.deepEqual([run.status, run.stdout, run.stderr], [0, `${packageJson.version}\n`, '']);
  }
  assert.deepEqual(linesOf(await runBaton(['--json', '--version'])), [{ version: packageJson.version }]);
});

test('without a command every command is listed, and nothing was done', async () => {
  const bare = await runBaton([]);
  const asked = await runBaton(['--help']);
  assert.deepEqual([bare.status, asked.status], [2, 0]);
  assert.equal(bare.stdout, asked.stdout);
  for (const name of COMMANDS) assert.match(asked.stdout, new RegExp(`^  ${name} `, 'm'));
});

for (const name of COMMANDS) {
  test(`${name}: help has usage, flags and an example, in all three ways to ask`, async () => {
    const asked = [
      [name, '--help'],
      ['--help', name],
      ['help', name],
      [name, '-h'],
    ];
    const runs = await Promise.all(asked.map((args) => runBaton(args)));
    for (const run of runs) assert.deepEqual([run.status, run.stdout], [0, runs[0]?.stdout]);
    assert.match(runs[0]?.stdout ?? '', new RegExp(`^usage: baton ${name} [\\s\\S]*^Examples\n {2}baton ${name}`, 'm'));
  });
}

test('with --json help is one JSON value too', async () => {
  const [overview] = linesOf<{ commands: { name: string }[] }>(await runBaton(['--help', '--json']));
  assert.deepEqual(
    overview?.commands.map((command) => command.name),
    COMMANDS,
  );
  const [check] = linesOf<{ examples: string[] }>(await runBaton(['check', '--help', '--json']));
  assert.ok((check?.examples.length ?? 0) > 0);
});

test('global flags may stand before the command and after it', async () => {
  const runs = await Promise.all(
    [
      ['--json', 'check', TASK],
      ['check', '--json', TASK],
      ['check', TASK, '--json'],
      ['--no-color', 'check', TASK, '--json'],
    ].map((args) => runBaton(args)),
  );
  for (const run of runs) assert.deepEqual([run.status, run.stdout, run.stderr], [0, runs[0]?.stdout, '']);
  assert.equal(linesOf(runs[0] as never).length, 1);
});

test('after -- everything is a file', async () => {
  const run = await runBaton(['check', '--json', '--', '--as']);
  assert.match(run.stderr, /^error: cannot read --as: the file does not exist\n/);
});

const REFUSED: readonly (readonly [args: string, error: RegExp, hint: RegExp])[] = [
  ['chekc', /no command "chekc"/, /baton check --help/],
  ['zzz', /no command "zzz"/, /baton --help/],
  ['--zzz', /unknown flag --zzz/, /baton --help/],
  ['help zzz', /no command "zzz"/, /baton --help/],
  ['check --zzz x', /check: unknown option '--zzz'/, /baton check --help/],
  ['check x --as', /check: option '--as' needs a value/, /baton check --help/],
  ['check --as aoq x', /check: no protocol "aoq"/, /--as aop\|afp\|aof\|saop\|runtime/],
  ['check --kind zzz x', /check: aof has no kind "zzz"/, /run_heartbeat/],
  ['schema aoq', /schema: no protocol "aoq"/, /aop\|afp/],
  ['schema aop task', /schema: aop has no message "task"/, /^baton schema aop TASK$/],
  ['schema aop V1', /schema: aop has no message "V1"/, /TASK\|RESPONSE/],
  ['schema aop TASK x', /schema: too many arguments: x/, /baton schema PROTOCOL KIND/],
];

for (const [args, error, hint] of REFUSED) {
  test(`refused, with what to try: baton ${args}`, async () => {
    const human = await runBaton(args.split(' '));
    assert.deepEqual([human.status, human.stdout], [2, '']);
    const [, message = '', what = ''] = /^error: (.*)\ntry: (.*)\n$/.exec(human.stderr) ?? [];
    assert.match(message, error);
    assert.match(what, hint);
    const json = await runBaton(['--json', ...args.split(' ')]);
    const wanted = { verdict: 'refused', code: 'usage', errors: [{ path: '', message }], hint: what };
    assert.deepEqual([json.status, linesOf<Refusal>(json)], [2, [wanted]]);
  });
}

test('a reader that has seen enough ends it without a word', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-pipe-'));
  writeFileSync(join(folder, 'many.ndjson'), '{"aop_version":"2.0.2-C"}\n'.repeat(50_000));
  for (const command of [`"${BATON}" check many.ndjson | head -1`, `"${BATON}" schema runtime | head -1`]) {
    const { stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
    assert.deepEqual([stdout.split('\n').length, stderr], [2, '']);
  }
  rmSync(folder, { recursive: true });
});

test('help shows a global flag only where it has an effect, and every command accepts it', async () => {
  for (const [command, data, key] of [
    [['schema'], false, false],
    [['task', 'list'], true, false],
    [['task', 'new'], true, true],
  ] as const) {
    const { stdout } = await runBaton([...command, '--help', '--data', 'x', '--key', 'y']);
    assert.deepEqual([stdout.includes('--data FOLDER'), stdout.includes('--key KEY')], [data, key]);
  }
});
