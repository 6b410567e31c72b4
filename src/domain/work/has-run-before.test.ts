import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MadeCheck } from '../execution/check-result.ts';
import type { Workplace } from '../execution/findings.ts';
import { type CheckedRound, hasRunBefore } from './has-run-before.ts';

const IN_PLACE: Workplace = { kind: 'in-place' };
const WORKTREE: Workplace = { kind: 'worktree', folder: '/data/worktrees/1' };
const OTHER: Workplace = { kind: 'worktree', folder: '/data/worktrees/2' };

function made(result: MadeCheck['result'], argv: readonly string[] | null = ['npm', 'test']): MadeCheck {
  return { id: 'check npm test', kind: 'check', command: 'npm test', argv, result } as unknown as MadeCheck;
}

interface Rounds {
  readonly workplace?: Workplace;
  readonly before?: readonly MadeCheck[];
  readonly after?: readonly MadeCheck[];
}

function round({ workplace = IN_PLACE, before = [], after }: Rounds): CheckedRound {
  return { snapshotted: { workplace, made: before }, attempts: [{ verified: after ? { made: after } : null }] };
}

const CASES: readonly (readonly [name: string, rounds: readonly CheckedRound[], workplace: Workplace, ran: boolean])[] =
  [
    ['it passed before the work', [round({ before: [made('passed')] })], IN_PLACE, true],
    ['it failed before the work', [round({ before: [made('failed')] })], IN_PLACE, true],
    ['it could not run before the work', [round({ before: [made('could-not-run')] })], IN_PLACE, false],
    ['it ran after an earlier attempt', [round({ after: [made('failed')] })], IN_PLACE, true],
    ['it ran in an earlier round', [round({}), round({ before: [made('passed')] })], IN_PLACE, true],
    ['another command ran', [round({ before: [made('passed', ['npm', 'run', 'test'])] })], IN_PLACE, false],
    ['a file was looked for', [round({ before: [made('passed', null)] })], IN_PLACE, false],
    ['it ran in the checkout, and now in a worktree', [round({ before: [made('passed')] })], WORKTREE, false],
    ['it ran in the worktree', [round({ workplace: WORKTREE, before: [made('passed')] })], WORKTREE, true],
    ['it ran in another worktree', [round({ workplace: OTHER, before: [made('passed')] })], WORKTREE, false],
    ['nothing was prepared yet', [{ snapshotted: null, attempts: [] }], IN_PLACE, false],
  ];

for (const [name, rounds, workplace, ran] of CASES) {
  test(`a check ${ran ? 'can run' : 'may be unable to run'}: ${name}`, () => {
    assert.equal(hasRunBefore(['npm', 'test'], workplace, rounds), ran);
  });
}
