import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CleanDecision, decideClean, type WorkFacts } from './decide-clean.ts';

const DAY = 86_400_000;
const RULE = { nowMs: 100 * DAY, undoMs: 14 * DAY };
const RECENT: WorkFacts = {
  isOpen: false,
  isCleaned: false,
  work: null,
  isInWorktree: false,
  hasChanges: true,
  hasTheirChanges: false,
  lastAt: 99 * DAY,
};
const OLD = { ...RECENT, lastAt: 86 * DAY };
const remove: CleanDecision = { kind: 'remove' };
const keep = (why: 'running' | 'waiting' | 'undoable'): CleanDecision => ({ kind: 'keep', why });

const CASES: readonly (readonly [what: string, facts: WorkFacts, decision: CleanDecision])[] = [
  ['runs', { ...OLD, isOpen: true }, keep('running')],
  ['has no end', { ...OLD, lastAt: null }, keep('running')],
  ['waits to be applied', { ...OLD, work: 'waiting', isInWorktree: true }, keep('waiting')],
  ['was left in a worktree by an earlier version', { ...OLD, isInWorktree: true }, keep('waiting')],
  [
    'changed nothing in its worktree',
    { ...RECENT, isInWorktree: true, hasChanges: false },
    { kind: 'remove-worktree' },
  ],
  ['was discarded', { ...RECENT, work: 'discarded', isInWorktree: true }, remove],
  ['was undone', { ...RECENT, work: 'undone' }, remove],
  ['was undone and holds changes of a person', { ...RECENT, work: 'undone', hasTheirChanges: true }, keep('undoable')],
  ['was undone long ago and holds changes of a person', { ...OLD, work: 'undone', hasTheirChanges: true }, remove],
  ['was applied lately', { ...RECENT, work: 'applied', isInWorktree: true }, { kind: 'remove-worktree' }],
  ['was applied long ago', { ...OLD, work: 'applied', isInWorktree: true }, remove],
  ['an earlier clean began to remove', { ...RECENT, isCleaned: true }, remove],
  ['was cleaned and runs again', { ...RECENT, isCleaned: true, isOpen: true }, keep('running')],
  ['was done in place lately', RECENT, keep('undoable')],
  ['was done in place long ago', OLD, remove],
];

for (const [what, facts, decision] of CASES)
  test(`work that ${what}`, () => assert.deepEqual(decideClean(facts, RULE), decision));
