import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionGraphText } from './session-graph-text.ts';

const tasks = [
  { task_id: 'a', agent: 'emma', state: 'COMPLETED', depends_on: [], parent_task_id: null },
  { task_id: 'b "]; x\\', agent: null, state: 'PENDING', depends_on: ['a'], parent_task_id: 'a' },
] as const;

test('the graph of a session as Mermaid', () => {
  assert.equal(
    sessionGraphText(tasks, 'mermaid'),
    [
      'flowchart TD',
      '  t1["a · emma · COMPLETED"]',
      '  t2["b #34;#93;; x#92; · PENDING"]',
      '  t1 --> t2',
      '  t1 -.-> t2',
    ].join('\n'),
  );
});

test('the graph of a session as DOT', () => {
  assert.equal(
    sessionGraphText(tasks, 'dot'),
    [
      'digraph session {',
      '  t1 [label="a · emma · COMPLETED"];',
      '  t2 [label="b \\"]; x\\\\ · PENDING"];',
      '  t1 -> t2;',
      '  t1 -> t2 [style=dashed];',
      '}',
    ].join('\n'),
  );
});
