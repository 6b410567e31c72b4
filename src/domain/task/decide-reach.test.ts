import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentMessage } from './agent-message.ts';
import type { RunHolder } from './channel.ts';
import { decideReach, type Reach, refuseAboutRun, refuseAboutTask } from './decide-reach.ts';
import type { TaskName } from './task.ts';

const HOLDER: RunHolder = { taskId: 'T-1' as TaskName, taskUid: 'tsk_1', runId: 'run_1', agent: 'emma' };
const REACHES: readonly Reach[] = ['own', 'delegated', 'below', 'other', 'unknown'];
const ROUTE = { type: 'x', taskId: 'T-2', fromAgent: 'emma', toAgent: 'dispatcher', projectId: null };

/** The refusal of a message by each reach, in the order of REACHES. */
function refusals(message: Record<string, unknown>) {
  return REACHES.map((reach) => refuseAboutTask({ ...ROUTE, ...message } as unknown as AgentMessage, HOLDER, reach));
}

test('a run reaches its own task, and what that handed down or has below it', () => {
  const reach = (id: string, parentId: string | null, handedDownBy: string | null) =>
    decideReach(HOLDER, { id, parentId, handedDownBy });
  assert.equal(reach('T-1', null, null), 'own');
  assert.equal(reach('T-2', 'T-1', 'T-1'), 'delegated');
  assert.equal(reach('T-2', 'T-1', null), 'below');
  assert.equal(reach('T-2', 'T-1', 'T-3'), 'other');
  assert.equal(reach('T-2', null, null), 'other');
  assert.equal(decideReach(HOLDER, null), 'unknown');
});

test('a run reports for its own task alone, tells the status of what it delegated, and hands down what is below it', () => {
  const [no, none] = ['unauthorized_agent', 'task_not_found'];
  assert.deepEqual(REACHES.map(refuseAboutRun), [null, no, no, no, none]);
  assert.deepEqual(refusals({ kind: 'completion' }), [null, no, no, no, none]);
  for (const kind of ['status', 'handoff-answer']) assert.deepEqual(refusals({ kind }), [null, null, no, no, none]);
  const handoff = { parentTaskId: 'T-1', fromAgent: 'emma' };
  assert.deepEqual(refusals({ kind: 'handoff', handoff }), [null, null, null, no, none]);
  const ofAnother = refusals({ kind: 'handoff', handoff: { ...handoff, parentTaskId: 'T-3' } });
  assert.deepEqual(ofAnother, [no, no, no, no, none]);
});

test('a run speaks in the name of its agent alone', () => {
  assert.deepEqual(new Set(refusals({ kind: 'status', fromAgent: 'bob' })), new Set(['unauthorized_agent']));
});
