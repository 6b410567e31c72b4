import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../refusal.ts';
import { chooseReceivingAgent, narrowGrant, type ReceivingQuestion } from './admit-received.ts';

const agent = (name: string, load = 0, slots = 1) => ({ name, load, slots });

function chosen(changes: Partial<ReceivingQuestion>): string {
  const question = { nodeId: 'right', recipients: ['right'], offered: [agent('critic'), agent('writer')] };
  const found = chooseReceivingAgent({ ...question, defaultAgent: null, able: null, ...changes });
  return isRefusal(found) ? found.code : found;
}

test('a named agent does it; of a node its default agent, else the least loaded, then the first by name', () => {
  assert.equal(chosen({ recipients: ['writer'] }), 'writer');
  assert.equal(chosen({ recipients: ['writer@right'] }), 'writer');
  assert.equal(chosen({ defaultAgent: 'writer' }), 'writer');
  assert.equal(chosen({}), 'critic');
  assert.equal(chosen({ offered: [agent('critic', 3, 4), agent('writer', 1, 4)] }), 'writer');
  assert.equal(chosen({ recipients: ['writer', 'critic'] }), 'critic');
});

test('an agent that the operator does not offer does nothing for others', () => {
  assert.equal(chosen({ recipients: ['demo'] }), 'E_PERMISSION_DENIED');
  assert.equal(chosen({ offered: [] }), 'E_PERMISSION_DENIED');
  assert.equal(chosen({ defaultAgent: 'demo' }), 'critic');
});

test('with capabilities an agent that offers them does it', () => {
  assert.equal(chosen({ able: ['writer'] }), 'writer');
  assert.equal(chosen({ able: ['writer'], recipients: ['critic'] }), 'capability_unavailable');
  assert.equal(chosen({ able: [] }), 'capability_unavailable');
  assert.equal(chosen({ able: ['writer'], defaultAgent: 'critic' }), 'writer');
});

test('a grant is never wider than the sender or this node allows', () => {
  const asked = {
    network: 'FULL',
    hosts: ['a', 'b'],
    budgetUsd: 5,
    timeoutSeconds: 60,
    retries: 1,
    checks: ['x'],
  } as const;
  const own = { network: 'RESTRICTED', hosts: ['b', 'c'], budgetUsd: 2 } as const;
  assert.deepEqual(narrowGrant(asked, own), { ...asked, network: 'RESTRICTED', hosts: ['b'], budgetUsd: 2 });
  assert.equal(narrowGrant({ ...asked, network: 'NONE' }, { ...own, network: 'FULL' }).network, 'NONE');
  assert.equal(narrowGrant({ ...asked, budgetUsd: null }, own).budgetUsd, 2);
  assert.equal(narrowGrant(asked, { ...own, budgetUsd: null }).budgetUsd, 5);
  assert.equal(narrowGrant({ ...asked, budgetUsd: null }, { ...own, budgetUsd: null }).budgetUsd, null);
});
