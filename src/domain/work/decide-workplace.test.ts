import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideWorkplace, type WorkplaceFacts } from './decide-workplace.ts';

const FREE: WorkplaceFacts = {
  isUnpacked: false,
  mayWrite: true,
  buildsOnWaiting: false,
  continues: null,
  isWanted: false,
  isPromised: false,
  isHeld: false,
  obstacle: null,
};
const STAYS = { isInWorktree: false, isTakenBack: false };

const CASES: readonly (readonly [string, Partial<WorkplaceFacts>, string])[] = [
  ['a free workspace', {}, 'in-place'],
  ['a workspace of another task', { isHeld: true }, 'worktree'],
  ['a workspace of another task without git', { isHeld: true, obstacle: 'no-git' }, 'waits'],
  ['a workspace of another task without a sandbox', { isHeld: true, obstacle: 'no-sandbox' }, 'waits'],
  ['an order that writes nothing', { mayWrite: false, isHeld: true, isWanted: true }, 'in-place'],
  ['unpacked work of another node, whatever has the folder around it', { isUnpacked: true, isHeld: true }, 'in-place'],
  ['a wanted worktree', { isWanted: true }, 'worktree'],
  ['a wanted worktree that cannot be made', { isWanted: true, obstacle: 'not-in-commit' }, 'refused: not-in-commit'],
  ['a wanted worktree without a sandbox', { isWanted: true, obstacle: 'no-sandbox' }, 'refused: no-sandbox'],
  ['a promised worktree of a workspace that is free by now', { isPromised: true }, 'worktree'],
  ['a promised worktree that cannot be made any more', { isPromised: true, obstacle: 'no-commit' }, 'in-place'],
  ['the same while another task has the workspace', { isPromised: true, isHeld: true, obstacle: 'no-commit' }, 'waits'],
  ['work that waits elsewhere', { buildsOnWaiting: true }, 'worktree'],
  [
    'work that waits elsewhere, for an order that writes nothing',
    { buildsOnWaiting: true, mayWrite: false },
    'worktree',
  ],
  [
    'work that waits elsewhere, without a sandbox',
    { buildsOnWaiting: true, obstacle: 'no-sandbox' },
    'refused: no-sandbox',
  ],
  ['continued work in the files', { continues: STAYS, isPromised: true }, 'in-place'],
  ['continued work in the files of a busy workspace', { continues: STAYS, isHeld: true }, 'waits'],
  ['continued work in the files with a waiting predecessor', { continues: STAYS, buildsOnWaiting: true }, 'in-place'],
  [
    'continued work that waits in a worktree',
    { continues: { ...STAYS, isInWorktree: true }, isHeld: true },
    'same-worktree',
  ],
  ['continued work that was taken back', { continues: { ...STAYS, isTakenBack: true }, isHeld: true }, 'worktree'],
];

for (const [what, facts, expected] of CASES) {
  test(`${what}: ${expected}`, () => {
    const found = decideWorkplace({ ...FREE, ...facts });
    assert.equal(found.kind === 'refused' ? `refused: ${found.obstacle}` : found.kind, expected);
  });
}
