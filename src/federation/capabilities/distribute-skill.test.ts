import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLedger } from '../../../test/support/test-ledger.ts';
import type { Capability } from '../../domain/federation/capability.ts';
import { selectSkillTargets } from '../../ledger/statements/federation/skills.ts';
import type { Tx } from '../../ledger/tx.ts';
import { decodeRuntime } from '../../protocols/runtime/decode.ts';
import type { RuntimeEnvelope } from '../../protocols/runtime/schema/events.ts';
import { appendDistribution, takeSkillAnswer } from './distribute-skill.ts';

const SENDER = { nodeId: 'left', routingPolicyVersion: 'r1', capabilityPolicyVersion: 'c1' };
const CATALOG = {
  capabilityId: 'cap.a',
  delegationSkillRef: { name: 'a', version: '1.0.0' },
  publishedByAgentId: 'emma',
} as Capability;
const TO = ['critic', 'writer'].map((agent) => ({ agent, node: 'right', fence: 1 }));

/** A distribution to two agents, and a function that takes an answer and returns the state of both. */
async function distributed() {
  const { ledger } = openTestLedger();
  const within = <Answer extends object>(work: (tx: Tx) => Answer) => ledger.submit((tx) => work(tx), {});
  await within((tx) => {
    appendDistribution(tx, SENDER, { catalog: CATALOG, distribution: { to: TO, blob: 'h' } });
    return {};
  });
  const targets = () => selectSkillTargets(ledger.read, 'cap.a');
  const taskId = targets()[0]?.taskId ?? '';
  return async (agent: string, kind: string, payload: object, node = 'right') => {
    const envelope = { kind, sourceAgentId: agent, sourceNodeId: node, payload: { taskId, ...payload } };
    const taken = await within((tx) => takeSkillAnswer(tx, envelope as unknown as RuntimeEnvelope) ?? {});
    return { taken, states: targets().map(({ state }) => state), reasons: targets().map(({ reason }) => reason) };
  };
}

test('the task of a distribution has the fields of the document', async () => {
  const { ledger } = openTestLedger();
  const append = (tx: Tx) => {
    appendDistribution(tx, SENDER, { catalog: CATALOG, distribution: { to: TO, blob: 'h' } });
    return {};
  };
  await ledger.submit(append, {});
  const sent = ledger.read.one('SELECT envelope FROM outbox');
  const text = String(sent?.envelope);
  const { payload } = JSON.parse(text) as RuntimeEnvelope;
  const { taskId: _id, title: _title, requiredBy, ...fields } = payload as Record<string, unknown>;
  assert.deepEqual(fields, {
    toAgents: ['critic', 'writer'],
    requesterAgentId: 'emma',
    responseRequired: true,
    taskType: 'skill_distribution',
    capabilityId: 'cap.a',
    delegationSkillRef: { name: 'a', version: '1.0.0' },
    x_blob: 'h',
  });
  assert.ok(Date.parse(String(requiredBy)) > 0);
  assert.equal(decodeRuntime(text).verdict, 'accepted');
});

test('a target is confirmed by the name and version of the skill, and by nothing else', async () => {
  const answer = await distributed();
  assert.deepEqual((await answer('critic', 'task_accept', {})).states, ['accepted', 'waiting']);
  const wrong = await answer('critic', 'task_complete', { resultRef: 'skill://a/0.9.0' });
  assert.deepEqual([wrong.states[0], wrong.reasons[0]], ['refused', 'it confirmed skill://a/0.9.0 instead']);
  assert.deepEqual((await answer('critic', 'task_complete', {})).states, ['refused', 'waiting']);
  assert.deepEqual((await answer('critic', 'task_complete', { resultRef: 'skill://a/1.0.0' })).states, [
    'confirmed',
    'waiting',
  ]);
});

test('nobody confirms for another agent or from another node, and a confirmation stays', async () => {
  const answer = await distributed();
  const right = { resultRef: 'skill://a/1.0.0' };
  for (const [agent, node] of [
    ['critic', 'other'],
    ['stranger', 'right'],
  ] as const) {
    const { taken, states } = await answer(agent, 'task_complete', right, node);
    assert.deepEqual([taken, states], [{ isQueued: false, isRefused: true }, ['waiting', 'waiting']]);
  }
  await answer('critic', 'task_complete', right);
  const late = await answer('critic', 'task_failed', { failureClass: 'unknown' });
  assert.deepEqual(late.states, ['confirmed', 'waiting']);
  const failed = await answer('writer', 'task_failed', { failureClass: 'dependency_missing', errorSummary: 'no' });
  assert.deepEqual(failed.reasons, [null, 'dependency_missing: no']);
});

test('an answer to no distribution of this node is not taken', async () => {
  const answer = await distributed();
  assert.deepEqual((await answer('critic', 'task_complete', { taskId: 'tsk_other' })).taken, {});
});
