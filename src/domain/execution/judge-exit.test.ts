import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptEnd } from './fact.ts';
import type { Claim } from './findings.ts';
import { type ExitFacts, judgeExit } from './judge-exit.ts';

const CLAIM: Claim = {
  result: 'done',
  code: null,
  message: 'done',
  summary: 'It is done.',
  actions: ['Did it.'],
  text: '{}',
};
const RESPONSE = { kind: 'claim', claim: CLAIM } as const;
const OWN_FAILURE = { ...RESPONSE, claim: { ...CLAIM, result: 'failed', message: 'no quota' } } as const;
const NONE = { kind: 'none' } as const;
const MALFORMED = { kind: 'malformed', message: 'task_id is not T-1' } as const;

const exited = (exitCode: number | null, signal: string | null = null) =>
  ({ kind: 'exited', exitCode, signal }) as const;

function judge(facts: Partial<ExitFacts>): AttemptEnd {
  const rails = { requireResult: true, requireMinimalReport: true };
  return judgeExit({ exit: exited(0), answer: RESPONSE, cause: null, rails, ...facts });
}

/** The kind, and the code where it failed. */
function short(end: AttemptEnd): string {
  return end.kind === 'failed' ? end.code : end.kind;
}

const rows: [string, Partial<ExitFacts>, string][] = [
  ['exit 0 with an answer', {}, 'finished'],
  ['exit 0 without an answer', { answer: NONE }, 'finished'],
  ['exit 0 with its own failure is for the verdict', { answer: OWN_FAILURE }, 'finished'],
  ['exit 0 with an answer that is none', { answer: MALFORMED }, 'malformed-answer'],
  ['exit 1 with an answer that is none', { exit: exited(1), answer: MALFORMED }, 'malformed-answer'],
  ['exit 1 without an answer', { exit: exited(1), answer: NONE }, 'process-crashed'],
  ['a signal without an answer', { exit: exited(null, 'SIGSEGV'), answer: NONE }, 'process-crashed'],
  ['exit 1 with a claim of success', { exit: exited(1) }, 'process-crashed'],
  ['a signal with a claim of success', { exit: exited(null, 'SIGKILL') }, 'process-crashed'],
  ['exit 1 with a failure of no code', { exit: exited(1), answer: OWN_FAILURE }, 'process-crashed'],
  [
    'exit 1 with a failure that has a code',
    { exit: exited(1), answer: { ...RESPONSE, claim: { ...OWN_FAILURE.claim, code: 'model-unavailable' } } },
    'model-unavailable',
  ],
  [
    'a program that does not start',
    { exit: { kind: 'not-started', reason: 'EACCES' }, answer: NONE },
    'process-crashed',
  ],
  [
    'a program that is not there',
    { exit: { kind: 'not-started', reason: 'ENOENT', isMissing: true }, answer: NONE },
    'agent-not-found',
  ],
  [
    'a program that lacks a right',
    { exit: { kind: 'not-started', reason: 'HOME is not set', isDenied: true }, answer: NONE },
    'permission-denied',
  ],
  ['no result', { answer: { ...RESPONSE, claim: { ...CLAIM, result: null } } }, 'malformed-answer'],
  ['no summary', { answer: { ...RESPONSE, claim: { ...CLAIM, summary: ' ' } } }, 'malformed-answer'],
  ['no actions', { answer: { ...RESPONSE, claim: { ...CLAIM, actions: [] } } }, 'malformed-answer'],
  [
    'no result where none is asked for',
    {
      answer: { ...RESPONSE, claim: { ...CLAIM, result: null } },
      rails: { requireResult: false, requireMinimalReport: true },
    },
    'finished',
  ],
  [
    'no report where none is asked for',
    {
      answer: { ...RESPONSE, claim: { ...CLAIM, summary: '', actions: [] } },
      rails: { requireResult: true, requireMinimalReport: false },
    },
    'finished',
  ],
];

describe('the end of an agent that', () => {
  for (const [name, facts, want] of rows) test(`${name}: ${want}`, () => assert.equal(short(judge(facts)), want));
});

describe('what Baton ended', () => {
  const causes = [
    [{ kind: 'timeout', seconds: 5 }, 'timeout'],
    [{ kind: 'silence', seconds: 360 }, 'heartbeat-missed'],
    [{ kind: 'budget', message: 'it cost $2 of $1' }, 'budget-exceeded'],
    [{ kind: 'stop', by: 'operator' }, 'stopped'],
    [{ kind: 'loss' }, 'lost'],
  ] as const;
  for (const [cause, want] of causes) {
    for (const answer of [NONE, MALFORMED, RESPONSE]) {
      for (const exit of [exited(0), exited(null, 'SIGTERM'), { kind: 'not-started', reason: 'r' } as const]) {
        test(`by ${cause.kind}, answer ${answer.kind}, ${JSON.stringify(exit)}: ${want}`, () => {
          assert.equal(short(judge({ cause, answer, exit })), want);
        });
      }
    }
  }
});

test('what the agent claimed is kept beside what it failed by', () => {
  for (const facts of [{ exit: exited(3) }, { cause: { kind: 'timeout', seconds: 1 } as const }]) {
    const end = judge(facts);
    assert.equal(end.kind === 'failed' && end.claim, CLAIM);
  }
});

test('who reads of a crash is told the exit and the claim', () => {
  const end = judge({ exit: exited(3) });
  assert.equal(end.kind === 'failed' && end.message, 'it ended with exit code 3, although it says done');
  const killed = judge({ exit: exited(null, 'SIGSEGV'), answer: NONE });
  assert.equal(killed.kind === 'failed' && killed.message, 'it was ended by SIGSEGV and gave no answer');
  const told = judge({ exit: exited(1), answer: NONE, complaint: 'Error: no config' });
  assert.match(
    told.kind === 'failed' ? told.message : '',
    /exit code 1 and gave no answer; it printed: Error: no config$/,
  );
  const own = judge({ exit: exited(1), answer: OWN_FAILURE });
  assert.equal(own.kind === 'failed' && own.message, 'no quota');
});
