import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tasksOfMessage } from './tasks-of-message.ts';

const A = 'TASK-2026-02-09-001';
const B = 'TASK-2026-02-09-002';

const CASES: readonly (readonly [name: string, text: string, tasks: readonly string[]])[] = [
  ['a report', JSON.stringify({ payload: { notes: `after ${B}` }, taskId: A }), [A]],
  ['a line with the prefix', `AOF/1 ${JSON.stringify({ taskId: A })}`, [A]],
  ['a handoff, with its parent', JSON.stringify({ taskId: A, payload: { parentTaskId: B } }), [A, B]],
  ['a turn', JSON.stringify({ turn_index: 0, metadata: { task_id: A } }), [A]],
  ['a text that mentions a task', `about ${A}`, []],
  ['a field that is no text', JSON.stringify({ taskId: 1, payload: null, metadata: [] }), []],
  ['a list', JSON.stringify([{ taskId: A }]), []],
];

for (const [name, text, tasks] of CASES) {
  test(`tasks of ${name}`, () => {
    assert.deepEqual(tasksOfMessage(text), tasks);
  });
}
