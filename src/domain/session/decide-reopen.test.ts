import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideReopen, type ReopenQuestion } from './decide-reopen.ts';

const INTERRUPTED: ReopenQuestion = {
  sessionId: 'ses_1',
  isOpen: true,
  isCarried: false,
  canCarry: true,
  verb: 'continue',
  changesLimits: false,
};

const CASES: readonly [string, Partial<ReopenQuestion>, string | RegExp][] = [
  ['an interrupted session is continued', {}, 'resume'],
  ['one that is over gets another round', { isOpen: false }, 'again'],
  ['one that is over is retried, with other limits', { isOpen: false, verb: 'retry', changesLimits: true }, 'again'],
  ['one that a node runs is left alone', { isCarried: true }, /is still running/],
  ['an interrupted one is not retried', { verb: 'retry' }, /interrupted/],
  ['an interrupted one keeps its limits', { changesLimits: true }, /interrupted/],
  ['a node of one command does not continue it', { canCarry: false }, /interrupted/],
];

for (const [name, change, expected] of CASES) {
  test(name, () => {
    const decision = decideReopen({ ...INTERRUPTED, ...change });
    if (typeof expected === 'string') assert.equal(decision.kind, expected);
    else assert.match('message' in decision ? decision.message : '', expected);
    const isDeadEnd =
      'hint' in decision && /interrupted/.test(decision.message) && !/baton up -d/.test(decision.hint ?? '');
    assert.ok(!isDeadEnd, 'the hint names what continues it');
  });
}
