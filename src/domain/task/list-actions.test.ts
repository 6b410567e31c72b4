import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActionFacts, listActions } from './list-actions.ts';
import type { TaskName } from './task.ts';

const MADE: ActionFacts = {
  id: 'TASK-2026-11-16-001' as TaskName,
  status: 'backlog',
  work: null,
  agent: 'emma',
  isOrdered: false,
  isInterrupted: false,
  isOpen: false,
  isHeldUp: false,
  changedFiles: 0,
};
const OVER: ActionFacts = { ...MADE, isOrdered: true, changedFiles: 2 };

const CASES: readonly (readonly [string, ActionFacts, string])[] = [
  ['made by hand', MADE, 'run, cancel'],
  ['made by hand for nobody', { ...MADE, agent: null }, 'cancel'],
  ['made by hand and waiting for another', { ...MADE, isHeldUp: true }, 'cancel'],
  ['queued', { ...OVER, status: 'ready', isOpen: true, changedFiles: 0 }, 'stop, run, cancel'],
  ['running', { ...OVER, status: 'in-progress', isOpen: true }, 'say, stop, cancel'],
  ['claimed by an agent of its own', { ...MADE, status: 'in-progress' }, 'say, cancel'],
  ['interrupted', { ...OVER, status: 'in-progress', isOpen: true, isInterrupted: true }, 'say, stop, run, cancel'],
  ['failed in the files', { ...OVER, status: 'blocked' }, 'run, retry, continue, undo, verify, cancel'],
  ['failed without a change', { ...OVER, status: 'deadletter', changedFiles: 0 }, 'run, retry, continue, cancel'],
  ['blocked, never given to an agent', { ...MADE, status: 'blocked' }, 'run, retry, cancel'],
  ['in review in the files', { ...OVER, status: 'review' }, 'approve, return, continue, undo, verify, cancel'],
  [
    'in review in a worktree',
    { ...OVER, status: 'review', work: 'waiting' },
    'approve, return, continue, apply, discard, verify, cancel',
  ],
  [
    'in review and undone',
    { ...OVER, status: 'review', work: 'undone' },
    'approve, return, run, retry, continue, cancel',
  ],
  ['done in the files', { ...OVER, status: 'done' }, 'continue, undo, verify'],
  ['done and applied', { ...OVER, status: 'done', work: 'applied' }, 'continue, undo, verify'],
  ['done and discarded', { ...OVER, status: 'done', work: 'discarded' }, 'run, retry, continue'],
  ['done and continued', { ...OVER, status: 'done', work: 'continued' }, ''],
  ['cancelled', { ...OVER, status: 'cancelled', changedFiles: 0 }, 'continue'],
];

for (const [what, facts, actions] of CASES) {
  test(`a task that is ${what}: ${actions || 'nothing'}`, () => {
    assert.equal(listActions(facts).join(', '), actions);
  });
}
