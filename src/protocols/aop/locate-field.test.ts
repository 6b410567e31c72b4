import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrderField } from '../../domain/order/order-field.ts';
import { refuse, refuseField } from '../../domain/refusal.ts';
import { decodeAopValue } from './decode.ts';
import { locateRefusal } from './locate-field.ts';

const validation = (command: string) => ({ command, expects: 'EXIT_CODE_0' });
const file = (path: string, more: object = {}) => ({ type: 'FILE', path, description: 'd', ...more });
const checkpoint = (id: string, more: object) => ({ checkpoint_id: id, description: 'd', ...more });

/** Each field that a refusal may name has another value. */
const TASK = {
  aop_version: '2.0.2-C',
  schema_version: '2.0.2',
  protocol_family: 'AOP',
  message_type: 'TASK',
  session: { session_id: 'S', created_at: '2026-02-26T14:00:00Z', orchestrator: 'o', origin: 'API' },
  target: { agent_name: 'emma', role: 'EXECUTOR', provider: 'CODEX', model: 'gpt' },
  task: {
    task_id: 'T-2',
    parent_task_id: 'T-1',
    objective: 'o',
    category: 'CODE_GENERATION',
    complexity: 'LOW',
    environment: { workspace_root: '/work' },
    access: { filesystem: { read_paths: ['r0', 'r1'], write_paths: ['w0', 'w1'] }, network: 'NONE' },
    inputs: [file('i0'), file('i1')],
    expected_outputs: [
      file('o0'),
      file('o1', {
        validation: validation('check-o1'),
        rollback_snapshot: { enabled: true, snapshot_path: 's1' },
      }),
    ],
    extensions: { x_depends_on: ['T-0', 'T-00'] },
  },
  phases: [
    { phase_id: 'P0', phase_order: 1, label: 'l', objective: 'o', checkpoints: [] },
    {
      phase_id: 'P1',
      phase_order: 2,
      label: 'l',
      objective: 'o',
      checkpoints: [
        checkpoint('C0', {}),
        checkpoint('C1', {
          validation: validation('check-c1'),
          expected_artifacts: [file('a0'), file('a1', { validation: validation('check-a1') })],
        }),
      ],
    },
  ],
};

const FIELDS: readonly [OrderField, unknown][] = [
  [{ kind: 'task-id' }, 'T-2'],
  [{ kind: 'parent' }, 'T-1'],
  [{ kind: 'agent' }, 'emma'],
  [{ kind: 'model' }, 'gpt'],
  [{ kind: 'workspace' }, '/work'],
  [{ kind: 'access' }, TASK.task.access],
  [{ kind: 'network' }, 'NONE'],
  [{ kind: 'read-path', index: 1 }, 'r1'],
  [{ kind: 'write-path', index: 1 }, 'w1'],
  [{ kind: 'input', index: 1 }, 'i1'],
  [{ kind: 'dependency', index: 1 }, 'T-00'],
  [{ kind: 'output', index: 1, part: 'path' }, 'o1'],
  [{ kind: 'output', index: 1, part: 'snapshot' }, 's1'],
  [{ kind: 'output', index: 1, part: 'command' }, 'check-o1'],
  [{ kind: 'checkpoint', phase: 1, checkpoint: 1 }, 'check-c1'],
  [{ kind: 'artifact', phase: 1, checkpoint: 1, index: 1, part: 'path' }, 'a1'],
  [{ kind: 'artifact', phase: 1, checkpoint: 1, index: 1, part: 'command' }, 'check-a1'],
];

function valueAt(pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], TASK);
}

describe('a refusal of an order points at the field of its TASK', () => {
  test('the TASK of these tests is one', () => {
    const found = decodeAopValue(TASK);
    assert.equal(found.verdict, 'accepted', JSON.stringify(found));
  });
  for (const [field, value] of FIELDS) {
    test(Object.values(field).join(' '), () => {
      const located = locateRefusal(refuseField('permission-denied', 'no', field));
      assert.deepEqual(valueAt(located.path), value, located.path);
      // The answer has the same fields in the same sequence as one that was refused with a pointer.
      assert.equal(JSON.stringify(located), JSON.stringify(refuse('permission-denied', 'no', located.path)));
    });
  }
  test('a refusal that names no field of the order stays as it is', () => {
    const refusal = refuse('invalid_argument', 'no', '/workspace');
    assert.deepEqual(locateRefusal(refusal), refusal);
  });
});
