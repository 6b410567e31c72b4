import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideStatusChange, type StatusAsker } from './decide-status-change.ts';
import { canMove, TASK_STATUSES } from './task-lifecycle.ts';

const ASKERS: StatusAsker[] = [null, 'emma'].flatMap((agent) =>
  [true, false].flatMap((isOrdered) =>
    [true, false].flatMap((hasWorked) =>
      [true, false].map((isDelegator) => ({ agent, isOrdered, hasWorked, isDelegator })),
    ),
  ),
);

const CASES = TASK_STATUSES.flatMap((from) =>
  TASK_STATUSES.flatMap((to) => ASKERS.map((asker) => ({ from, to, asker }))),
);

test(`which status an agent may set, all ${CASES.length} cases`, () => {
  for (const { from, to, asker } of CASES) {
    const { kind } = decideStatusChange(from, to, asker);
    const isOperator = asker.agent === null;
    const isForbidden =
      asker.isOrdered || asker.isDelegator || to === 'cancelled' || (to === 'done' && asker.hasWorked);
    const applied = canMove(from, to) ? 'move' : 'not-legal';
    const expected = isOperator || !isForbidden ? applied : 'not-theirs';
    assert.equal(kind, from === to ? 'not-legal' : expected, `${from} to ${to}, ${JSON.stringify(asker)}`);
  }
});

test('a reviewer who did not do the work approves it, its worker does not', () => {
  const asker = { agent: 'emma', isOrdered: false };
  assert.equal(decideStatusChange('review', 'done', { ...asker, hasWorked: false }).kind, 'move');
  assert.equal(decideStatusChange('review', 'done', { ...asker, hasWorked: true }).kind, 'not-theirs');
});
