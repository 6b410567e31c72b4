import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusAnswer } from '../../api/contract.ts';
import { styleFor } from '../output/style.ts';
import { statusRows } from './status-text.ts';

const PLAIN = styleFor(Date.parse('2026-02-09T12:00:00Z'), false);
const [FIRST, SECOND] = ['TASK-2026-02-09-001', 'TASK-2026-02-09-002'];

function interrupted(id: string, paths: readonly string[]) {
  const run = { agent: 'emma', startedAt: '2026-02-09T11:00:00Z', isInterrupted: true, activity: null };
  const overlaps = paths.length === 0 ? [] : [{ task: null, files: paths.length, paths }];
  return { id, title: 'a title', run, remote: null, overlaps };
}

function statusOf(running: readonly object[]): StatusAnswer {
  const none = { interruptedSessions: [], waiting: [], needsYou: [], toApply: [], incidents: [], questions: [] };
  const attention = { items: [], total: 0 };
  return { data: '/d', counts: {}, totals: { needsYou: 0, toApply: 0 }, attention, running, ...none } as never;
}

test('the first row of each task names it, and each interrupted task has its own command', () => {
  const rows = statusRows(statusOf([interrupted(FIRST, ['a.ts']), interrupted(SECOND, [])]), PLAIN, '');
  const named = rows.flatMap(({ task }, at) => (task === null ? [] : [[task, at]]));
  assert.deepEqual(named, [
    [FIRST, 1],
    [SECOND, 4],
  ]);
  assert.deepEqual(
    rows.flatMap(({ text }, at) => (text.includes('baton run') ? [[text.trim(), at]] : [])),
    [
      [`baton run ${FIRST}`, 3],
      [`baton run ${SECOND}`, 5],
    ],
  );
});
