import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { ELSEWHERE, replayed, sent, taken } from '../../../test/support/run/an-execution.ts';
import type { Fact } from '../execution/fact.ts';
import { PROCESSED_SLA_GRACE_SECONDS, RECALL_GRACE_MS } from '../federation/federation-limits.ts';
import { judgeSentWait, type ReceiverSight } from './judge-sent-wait.ts';

const ETA = 1_000_000;
const LATE = ETA + PROCESSED_SLA_GRACE_SECONDS * 1_000;
const TAKEN = taken('run_1', { node: 'right', agent: 'critic', etaAt: ETA });
const SENT = sent('evt_1', { to: [{ agent: 'critic', node: 'right' }] });

function judged(facts: readonly Fact[], sight: Partial<ReceiverSight> = {}, deadlineAt: number | null = null) {
  const execution = replayed(anOrder({ remote: { ...ELSEWHERE, deadlineAt } }), facts);
  assert.ok(execution.remote);
  const seen = { nowMs: 0, deadNodes: new Set<string>(), refusedBy: [], isGivenUp: false, ...sight };
  return judgeSentWait(execution, execution.remote, seen);
}

test('a task that is not done by its estimate and the grace is overdue, once', () => {
  assert.deepEqual(judged([SENT, TAKEN], { nowMs: LATE - 1 }), { kind: 'wait' });
  assert.deepEqual(judged([SENT, TAKEN], { nowMs: LATE }), { kind: 'overdue', etaAt: ETA });
  const noted: Fact = { kind: 'overdue', etaAt: ETA, at: LATE };
  assert.deepEqual(judged([SENT, TAKEN, noted], { nowMs: LATE + 1 }), { kind: 'wait' });
});

test('a deadline ends a task, accepted or not', () => {
  for (const facts of [[SENT], [SENT, TAKEN]]) {
    assert.equal(judged(facts, { nowMs: 4_999 }, 5_000).kind, 'wait');
    assert.equal(judged(facts, { nowMs: 5_000 }, 5_000).kind, 'expire');
  }
});

test('a task goes to others when every node that has it is dead, and a node that lives keeps it', () => {
  for (const facts of [[SENT], [SENT, TAKEN]]) {
    assert.equal(judged(facts, { deadNodes: new Set(['left']) }).kind, 'wait');
    const strayed = judged(facts, { deadNodes: new Set(['right']) });
    assert.deepEqual([strayed.kind, strayed.kind === 'stray' && strayed.nodes], ['stray', ['right']]);
  }
});

test('a task that was refused for good, given up or called back without an answer is settled', () => {
  const codeOf = (facts: readonly Fact[], sight: Partial<ReceiverSight>) => {
    const found = judged(facts, sight);
    return found.kind === 'settle' ? found.outcome.code : found.kind;
  };
  assert.equal(codeOf([SENT], { refusedBy: ['critic'] }), 'agent-not-found');
  assert.equal(codeOf([SENT], { isGivenUp: true }), 'unknown');
  const recalled: Fact = { kind: 'recalled', nodes: ['right'], reason: 'no', at: 0 };
  assert.equal(codeOf([SENT, TAKEN, recalled], { nowMs: RECALL_GRACE_MS - 1 }), 'wait');
  assert.equal(judged([SENT, TAKEN, recalled], { nowMs: RECALL_GRACE_MS }).kind, 'settle');
});
