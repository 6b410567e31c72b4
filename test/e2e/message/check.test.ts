import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BATON, type BatonRun, linesOf, ROOT, runBaton } from '../../support/run-baton.ts';

interface Line {
  readonly file: string;
  readonly line?: number;
  readonly protocol: string | null;
  readonly kind: string | null;
  readonly verdict: string;
  readonly code: string | null;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly warnings: readonly { readonly code: string; readonly path: string; readonly message: string }[];
}

const KEYS = ['file', 'protocol', 'kind', 'verdict', 'code', 'errors', 'warnings'];
const CORPUS = join(ROOT, 'test', 'corpus');
const TASK = join(CORPUS, 'aop', 'accepted', 'task-minimal.json');

const scratch = mkdtempSync(join(tmpdir(), 'baton-check-'));
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));

function scratchFile(name: string, text: string | Uint8Array): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

function only(run: BatonRun): Line {
  const lines = linesOf<Line>(run);
  assert.equal(lines.length, 1, run.stdout);
  return lines[0] as Line;
}

test('an accepted message has every key of the shape, nothing on stderr, and exit 0', async () => {
  const run = await runBaton(['check', '--json', TASK]);
  assert.deepEqual([run.status, run.stderr], [0, '']);
  assert.deepEqual(Object.keys(only(run)), KEYS);
  assert.deepEqual(only(run), {
    file: TASK,
    protocol: 'aop',
    kind: 'TASK',
    verdict: 'accepted',
    code: null,
    errors: [],
    warnings: [],
  });
});

test('a malformed message names every error by pointer and sentence, in document order, and exits 2', async () => {
  const text =
    '{"aop_version":"2.0.2-C","schema_version":"x","protocol_family":"AOP","message_type":"TASK","session":7}';
  const run = await runBaton(['check', '--json', scratchFile('wrong.json', text)]);
  const line = only(run);
  assert.deepEqual([run.status, line.verdict, line.code], [2, 'malformed', 'E_SCHEMA_VALIDATION']);
  assert.deepEqual(Object.keys(line), KEYS);
  const paths = line.errors.map((error) => error.path);
  assert.deepEqual(paths.slice(0, 2), ['/schema_version', '/session']);
  assert.ok(paths.includes('/task'), paths.join(' '));
  for (const error of line.errors) {
    assert.deepEqual(Object.keys(error), ['path', 'message']);
    assert.notEqual(error.message, '');
  }
});

test('a warning has code, pointer and sentence, and does not change the exit code', async () => {
  const turn = readFileSync(join(CORPUS, 'saop', 'accepted', 'turn.json'), 'utf8');
  const run = await runBaton(['check', '--json', '-'], { input: [turn.replace('{', '{"colour":"red",')] });
  assert.equal(run.status, 0);
  const [warning] = only(run).warnings;
  assert.deepEqual(Object.keys(warning ?? {}), ['code', 'path', 'message']);
  assert.deepEqual([warning?.code, warning?.path], ['unknown_field', '/colour']);
});

const OF_EACH_PROTOCOL = [
  ['aop', 'aop/accepted/task-minimal.json', 'TASK'],
  ['afp', 'afp/accepted/response.json', 'response'],
  ['aof', 'aof/accepted/envelope.json', 'completion.report'],
  ['saop', 'saop/accepted/turn.json', 'turn'],
  ['runtime', 'runtime/accepted/task-create.json', 'task_create'],
] as const;

for (const [protocol, file, kind] of OF_EACH_PROTOCOL) {
  test(`${protocol}: found without --as, read with --as, and foreign to another protocol`, async () => {
    const path = join(CORPUS, file);
    const other = protocol === 'saop' ? 'afp' : 'saop';
    const runs = await Promise.all([
      runBaton(['check', '--json', path]),
      runBaton(['check', '--json', '--as', protocol, path]),
      runBaton(['check', '--json', `--as=${other}`, path]),
    ]);
    const got = runs.map((run) => [run.status, only(run).protocol, only(run).kind, only(run).verdict]);
    assert.deepEqual(got, [
      [0, protocol, kind, 'accepted'],
      [0, protocol, kind, 'accepted'],
      [2, other, null, 'foreign'],
    ]);
  });
}

test('--kind tells what a renamed file of AOF is', async () => {
  const path = join(CORPUS, 'aof', 'rejected', 'run-renamed.json');
  const without = await runBaton(['check', '--json', path]);
  const withKind = await runBaton(['check', '--json', '--kind', 'run', path]);
  assert.deepEqual([without.status, only(without).verdict], [2, 'foreign']);
  assert.deepEqual([withKind.status, only(withKind).kind, only(withKind).verdict], [0, 'run', 'accepted']);
});

test('several files give a line each, in the order given, and one bad one makes it exit 2', async () => {
  const bad = scratchFile('bad.json', '{"aop_version":"2.0.2-C"}');
  const run = await runBaton(['check', '--json', TASK, bad, TASK]);
  assert.equal(run.status, 2);
  assert.deepEqual(
    linesOf<Line>(run).map((line) => [line.file, line.verdict]),
    [TASK, bad, TASK].map((file) => [file, file === bad ? 'malformed' : 'accepted']),
  );
});

test('a .ndjson file has one message a line, with line numbers that count blank lines', async () => {
  const text = '{"aop_version":"2.0.2-C"}\r\n\n  \t\nnot json\n{"turn_index":';
  for (const [name, flags] of [
    ['mixed.ndjson', []],
    ['mixed.JSONL', []],
    ['mixed.txt', ['--lines']],
  ] as const) {
    const run = await runBaton(['check', '--json', ...flags, scratchFile(name, text)]);
    const lines = linesOf<Line>(run);
    assert.deepEqual(
      lines.map((line) => [line.line, line.verdict, line.code]),
      [
        [1, 'malformed', 'E_SCHEMA_VALIDATION'],
        [4, 'foreign', null],
        [5, 'malformed', 'invalid_json'],
      ],
    );
    assert.deepEqual(Object.keys(lines[0] ?? {}), ['file', 'line', ...KEYS.slice(1)]);
  }
});

test('standard input is read for -, and where no file is given', async () => {
  const input = ['{"aop_version":', '"2.0.2-C"}'];
  for (const args of [
    ['check', '--json', '-'],
    ['check', '--json'],
  ]) {
    const line = only(await runBaton(args, { input }));
    assert.deepEqual([line.file, line.protocol, line.verdict], ['-', 'aop', 'malformed']);
  }
});

test('an empty file is foreign, and a file of no lines has no messages', async () => {
  const empty = await runBaton(['check', '--json', scratchFile('empty.json', '')]);
  assert.deepEqual([empty.status, only(empty).verdict], [2, 'foreign']);
  const none = await runBaton(['check', scratchFile('empty.ndjson', '\n\n')]);
  assert.deepEqual([none.status, none.stdout, none.stderr], [0, '', 'no messages\n']);
});

test('a byte order mark does not matter, a broken character does', async () => {
  const marked = await runBaton(['check', '--json', scratchFile('marked.json', '\ufeff{"aop_version":"2.0.2-C"}')]);
  assert.deepEqual(only(marked).protocol, 'aop');
  const broken = await runBaton(['check', '--json', scratchFile('broken.json', Uint8Array.of(123, 34, 0xff, 34))]);
  assert.deepEqual([broken.status, only(broken).verdict, only(broken).code], [2, 'malformed', 'invalid_json']);
  assert.match(only(broken).errors[0]?.message ?? '', /not valid UTF-8/);
});

test('what cannot be read is refused with a hint, and the files after it are still checked', async () => {
  const missing = join(scratch, 'missing.json');
  const run = await runBaton(['check', '--json', missing, scratch, TASK]);
  assert.equal(run.status, 2);
  assert.deepEqual(
    linesOf<Line>(run).map((line) => [line.verdict, line.code]),
    [
      ['refused', 'unreadable_file'],
      ['refused', 'unreadable_file'],
      ['accepted', null],
    ],
  );
  assert.equal(
    run.stderr,
    `error: cannot read ${missing}: the file does not exist\ntry: check the path; - reads standard input\n` +
      `error: cannot read ${scratch}: it is a folder\ntry: baton check ${scratch}/*\n`,
  );
});

test('for a person: a column of verdicts, findings under them, and a summary on stderr', async () => {
  mkdirSync(join(scratch, 'human'));
  const folder = join(scratch, 'human');
  writeFileSync(join(folder, 'a.json'), '{"aop_version":"2.0.2-C"}');
  writeFileSync(join(folder, 'notes.txt'), 'buy milk');
  const run = await runBaton(['check', 'a.json', 'notes.txt', 'nope', TASK], { folder });
  assert.deepEqual(run.stdout.replace(TASK, 'TASK').split('\n'), [
    `malformed  ${'a.json'.padEnd(Math.min(48, TASK.length))}  aop  E_SCHEMA_VALIDATION`,
    '  error    message_type: is required',
    `foreign    ${'notes.txt'.padEnd(Math.min(48, TASK.length))}  not a message of the five protocols`,
    `accepted   ${'TASK'.padEnd(4 + Math.max(0, 48 - TASK.length))}  aop TASK`,
    '',
  ]);
  assert.match(run.stderr, /\n3 messages: 1 accepted, 1 malformed, 1 foreign, 1 file not read\n$/);
});

test('a message cannot write to the terminal', async () => {
  const run = await runBaton(['check', '-'], {
    input: ['{"aop_version":"2.0.2-C","message_type":"\\u001b[31mTASK\\u009b"}'],
  });
  assert.doesNotMatch(run.stdout, /[\u001b\u009b]/);
  assert.match(run.stdout, /u001b/);
});

test('nothing is created in the working folder, and a link from elsewhere works', async () => {
  const folder = join(scratch, 'elsewhere');
  mkdirSync(folder);
  const link = join(scratch, 'baton-link');
  symlinkSync(BATON, link);
  const run = await runBaton(['check', TASK], { folder, program: link });
  assert.deepEqual([run.status, run.stderr], [0, '']);
  assert.deepEqual(readdirSync(folder), []);
});
