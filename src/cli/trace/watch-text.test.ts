import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusRow } from '../task/status-text.ts';
import { withMark } from './watch-text.ts';

test('the mark is on the first line of the selected task, not on one that names it', () => {
  const rows: readonly StatusRow[] = [
    { task: null, text: 'Running (2)' },
    { task: 'TASK-1-1000', text: '  \u001b[1mTASK-1-1000\u001b[22m  emma  since 10:00  continue TASK-1-100' },
    { task: null, text: '                       changes a.ts, as TASK-1-100 does' },
    { task: 'TASK-1-100', text: '  \u001b[1mTASK-1-100\u001b[22m  emma  since 10:00  a title' },
    { task: 'TASK-1-100', text: '  TASK-1-100  overlap  a title' },
  ];
  const texts = rows.map(({ text }) => text);
  assert.deepEqual(
    withMark(rows, 'TASK-1-100'),
    texts.with(3, '> \u001b[1mTASK-1-100\u001b[22m  emma  since 10:00  a title'),
  );
  assert.deepEqual(withMark(rows, null), texts);
});
