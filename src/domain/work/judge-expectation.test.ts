import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Expects } from '../order/order.ts';
import { type CheckOutcome, type CommandEnd, type FileFound, judgeExpectation } from './judge-expectation.ts';

const GREP = ['grep', '-n', 'x', 'f'];
const QUIET_GREP = ['grep', '-q', 'x', 'f'];

function ran(
  exitCode: number | null,
  hasOutput: boolean,
  more: Partial<CommandEnd & { kind: 'ran' }> = {},
): CommandEnd {
  return { kind: 'ran', exitCode, signal: null, hasOutput, isTimedOut: false, ...more };
}

function judged(expects: Expects, end: CommandEnd, argv: readonly string[] = GREP): CheckOutcome {
  return judgeExpectation(expects, { kind: 'command', argv, end }).result;
}

type Row = readonly [exitCode: number, hasOutput: boolean, isQuiet: boolean, result: CheckOutcome];

/** aop:expects, word for word: every exit, with and without output, with and without a quiet option. */
const TABLE: Readonly<Record<Exclude<Expects, 'file-exists'>, readonly Row[]>> = {
  'exit-code-0': [
    ...rows(0, 'passed'),
    ...rows(1, 'failed'),
    ...rows(2, 'failed'),
    ...rows(125, 'failed'),
    ...rows(128, 'failed'),
    ...rows(255, 'failed'),
    ...rows(126, 'could-not-run'),
    ...rows(127, 'could-not-run'),
    ...rows(137, 'could-not-run'),
    ...rows(139, 'could-not-run'),
  ],
  'match-found': [
    [0, true, false, 'passed'],
    [0, true, true, 'passed'],
    [0, false, true, 'passed'],
    [0, false, false, 'failed'],
    ...rows(1, 'failed'),
    ...rows(2, 'could-not-run'),
    ...rows(126, 'could-not-run'),
    ...rows(127, 'could-not-run'),
    ...rows(143, 'could-not-run'),
    ...rows(255, 'could-not-run'),
  ],
  'no-match': [
    ...rows(1, 'passed'),
    [0, false, false, 'passed'],
    [0, true, false, 'failed'],
    [0, true, true, 'failed'],
    // With a quiet option, exit 0 is the match.
    [0, false, true, 'failed'],
    ...rows(2, 'could-not-run'),
    ...rows(127, 'could-not-run'),
    ...rows(255, 'could-not-run'),
  ],
};

function rows(exitCode: number, result: CheckOutcome): readonly Row[] {
  return [true, false].flatMap((hasOutput) =>
    [true, false].map((isQuiet): Row => [exitCode, hasOutput, isQuiet, result]),
  );
}

for (const [expects, cases] of Object.entries(TABLE) as [Expects, readonly Row[]][]) {
  for (const [exitCode, hasOutput, isQuiet, result] of cases) {
    const said = `${hasOutput ? 'with' : 'without'} output${isQuiet ? ', told to be quiet' : ''}`;
    test(`${expects}: exit ${exitCode} ${said} is ${result}`, () => {
      assert.equal(judged(expects, ran(exitCode, hasOutput), isQuiet ? QUIET_GREP : GREP), result);
    });
  }
}

test('a command that was ended by a signal, or by its time, could not run, whatever was expected', () => {
  for (const expects of ['exit-code-0', 'match-found', 'no-match'] as const) {
    assert.equal(judged(expects, ran(null, true, { signal: 'SIGKILL' })), 'could-not-run');
    assert.equal(judged(expects, ran(0, true, { isTimedOut: true })), 'could-not-run');
    assert.equal(judged(expects, ran(1, false, { isTimedOut: true })), 'could-not-run');
    assert.equal(judged(expects, { kind: 'could-not-run', reason: 'there is no grep' }), 'could-not-run');
  }
});

test('a command that could not run says why in its own words', () => {
  const end = { kind: 'could-not-run', reason: 'spawn nope ENOENT' } as const;
  assert.equal(judgeExpectation('exit-code-0', { kind: 'command', argv: GREP, end }).reason, 'spawn nope ENOENT');
});

const FILES: Readonly<Record<FileFound, CheckOutcome>> = {
  there: 'passed',
  'no-file': 'failed',
  'no-folder': 'failed',
  missing: 'failed',
  outside: 'could-not-run',
  unreadable: 'could-not-run',
};

for (const [found, result] of Object.entries(FILES) as [FileFound, CheckOutcome][]) {
  test(`file-exists: a file that is ${found} is ${result}, and is named`, () => {
    const judgement = judgeExpectation('file-exists', { kind: 'file', path: 'out/a.txt', found });
    assert.equal(judgement.result, result);
    assert.match(judgement.reason, /^out\/a\.txt /);
  });
}

const QUIET: readonly string[][] = [
  ['grep', '-q', 'x'],
  ['grep', '--quiet', 'x'],
  ['grep', '--silent', 'x'],
  ['grep', '-s', 'x'],
  ['grep', '-nq', 'x'],
  ['grep', '-Rniwq', 'x'],
  ['/usr/bin/egrep', '-inqw', 'x'],
  ['env', 'LC_ALL=C', 'grep', '-Rniwq', 'x'],
  ['git', 'grep', '-q', 'x'],
  ['diff', '-rq', 'a', 'b'],
  ['cmp', '-s', 'a', 'b'],
  ['/bin/sh', '-c', 'cat f | grep -q x'],
];
const LOUD: readonly string[][] = [
  ['grep', 'x', 'f'],
  ['grep', '-n', 'sqs'],
  ['grep', '--', '-q', 'f'],
  ['grep', '-es', 'f'],
  ['grep', '-m5', 'quiet', 's'],
  ['find', '.', '-size', '0'],
  ['find', '.', '-newerqt', 'x'],
  ['/bin/sh', '-c', 'cat f | grep x'],
];

test('a command is told to be quiet by -q, --quiet and -s, alone or behind other letters', () => {
  for (const argv of QUIET) assert.equal(judged('match-found', ran(0, false), argv), 'passed', argv.join(' '));
  for (const argv of LOUD) assert.equal(judged('match-found', ran(0, false), argv), 'failed', argv.join(' '));
});
