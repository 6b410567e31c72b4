import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMark } from './watch-text.ts';

test('the mark is on the line of the selected task, not on one that names it', () => {
  const lines = [
    'Running (2)',
    '  \u001b[1mTASK-1-1000\u001b[22m  emma  since 10:00  continue TASK-1-100',
    '                       changes a.ts, as TASK-1-100 does',
    '  \u001b[1mTASK-1-100\u001b[22m  emma  since 10:00  a title',
  ];
  const marked = withMark(lines, 'TASK-1-100').findIndex((text) => text.startsWith('> '));
  assert.equal(marked, 3);
  assert.deepEqual(withMark(lines, null), lines);
});
