import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseRecipient, type Residents, readFences, splitAddress } from './choose-recipients.ts';

const here: Residents = {
  nodeId: 'laptop',
  everybody: () => ['emma', 'critic'],
  isLocal: (agent) => ['emma', 'critic'].includes(agent),
  fenceOf: (agent) => (agent === 'emma' ? 3 : null),
  isLeaseValid: true,
};

const CASES: readonly (readonly [what: string, agent: string, fence: number | null, verdict: string])[] = [
  ['the node itself', 'laptop', null, 'deliver'],
  ['another node', 'server', null, 'unknown'],
  ['an agent that it owns', 'emma', 3, 'deliver'],
  ['an agent that it owns, from a sender that saw no fence', 'emma', null, 'deliver'],
  ['an agent that it owned before', 'emma', 2, 'not-owner'],
  ['an agent that another node has taken since', 'emma', 4, 'not-owner'],
  ['an agent that another node owns', 'critic', null, 'not-owner'],
  ['an agent that it does not have', 'zed', null, 'unknown'],
  ['its own agent, whoever owns the name', 'critic@laptop', null, 'deliver'],
  ['an agent of another node', 'critic@server', null, 'unknown'],
  ['its own agent that it does not have', 'zed@laptop', null, 'unknown'],
];

for (const [what, agent, fence, verdict] of CASES) {
  test(`an event for ${what}: ${verdict}`, () => assert.equal(chooseRecipient(agent, fence, here).kind, verdict));
}

test('a node whose heartbeat is late acts for nobody that others could take over', () => {
  const late = { ...here, isLeaseValid: false };
  assert.equal(chooseRecipient('emma', 3, late).kind, 'not-owner');
  assert.equal(chooseRecipient('emma@laptop', null, late).kind, 'deliver');
  assert.equal(chooseRecipient('laptop', null, late).kind, 'deliver');
});

test('fences and addresses are read from their texts', () => {
  assert.deepEqual(
    [...readFences('emma=3,critic=12')],
    [
      ['emma', 3],
      ['critic', 12],
    ],
  );
  assert.deepEqual([...readFences('')], []);
  assert.deepEqual([...readFences('emma,=4,x=y,z=1')], [['z', 1]]);
  assert.deepEqual(splitAddress('emma@laptop'), ['emma', 'laptop']);
  assert.deepEqual(splitAddress('emma'), ['emma', null]);
  assert.deepEqual(splitAddress('@laptop'), ['@laptop', null]);
});
