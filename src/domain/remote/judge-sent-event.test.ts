import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AwaitedOrder, judgeSentEvent, type SentOrderEvent } from './judge-sent-event.ts';
import { NOT_SENT } from './sent-fact.ts';

const sent = (...to: (readonly [agent: string, node: string])[]) => ({
  kind: 'sent' as const,
  eventId: 'evt_1',
  corrId: 'corr_1',
  to: to.map(([agent, node]) => ({ agent, node })),
  capabilities: [],
  at: 0,
});
const taken = (agent: string, node: string) => ({
  ...{ kind: 'taken' as const, runId: 'run_1', node, agent, etaAt: 1, plan: '', theirTask: null, at: 0 },
});
const ONE: AwaitedOrder = { ...NOT_SENT, isOver: false, sent: sent(['critic', 'right']) };
const TAKEN: AwaitedOrder = { ...ONE, taken: taken('critic', 'right') };

function judged(event: Partial<SentOrderEvent>, order: AwaitedOrder = ONE): string {
  const whole = { kind: 'task_accept', node: 'right', agent: 'critic', corrId: 'corr_1', ...event } as const;
  return judgeSentEvent(whole, order).kind;
}

test('those who were asked may accept, and nobody else', () => {
  assert.equal(judged({}), 'apply');
  assert.equal(judged({ node: 'other' }), 'refuse');
  assert.equal(judged({ agent: 'writer' }), 'refuse');
  assert.equal(judged({ corrId: 'corr_2' }), 'refuse');
  assert.equal(judged({ agent: 'writer' }, { ...ONE, sent: sent(['right', 'right']) }), 'apply');
  assert.equal(judged({}, { ...ONE, sent: sent(['critic@right', 'right']) }), 'apply');
});

test('the first of several to accept does it', () => {
  const several: AwaitedOrder = { ...ONE, sent: sent(['critic', 'right'], ['emma', 'left']) };
  assert.equal(judged({}, several), 'apply');
  const byRight = { ...several, taken: taken('critic', 'right') };
  assert.equal(judged({}, byRight), 'ignore');
  assert.equal(judged({ node: 'left', agent: 'emma' }, byRight), 'refuse');
  assert.equal(judged({ kind: 'task_failed', node: 'left', agent: 'emma' }, several), 'one-refused');
});

test('a node that was not asked completes nothing', () => {
  for (const kind of ['task_complete', 'task_failed', 'task_update'] as const) {
    assert.equal(judged({ kind, node: 'other' }), 'refuse');
    assert.equal(judged({ kind, node: 'other' }, TAKEN), 'refuse');
    assert.equal(judged({ kind, agent: 'writer' }, TAKEN), 'refuse');
    assert.equal(judged({ kind }, TAKEN), 'apply');
    assert.equal(judged({ kind, corrId: 'corr_0' }, TAKEN), 'refuse');
  }
});

test('a completion whose acceptance was lost counts as both; a refusal needs none', () => {
  assert.equal(judged({ kind: 'task_complete' }), 'apply-accepted');
  assert.equal(judged({ kind: 'task_update' }), 'apply-accepted');
  assert.equal(judged({ kind: 'task_failed' }), 'apply');
});

test('what comes late or again changes nothing', () => {
  const over = { ...TAKEN, isOver: true };
  for (const kind of ['task_complete', 'task_failed', 'task_update'] as const)
    assert.equal(judged({ kind }, over), 'ignore');
  assert.equal(judged({}, TAKEN), 'ignore');
  assert.equal(judged({}, { ...ONE, isOver: true }), 'refuse');
  const recalled = { kind: 'recalled' as const, nodes: ['right'], reason: '', at: 0 };
  assert.equal(judged({}, { ...ONE, recalled }), 'refuse');
  assert.equal(judged({ kind: 'task_failed' }, { ...ONE, recalled }), 'apply');
});
