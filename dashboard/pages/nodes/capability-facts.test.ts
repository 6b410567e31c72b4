import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf } from './capability-facts.ts';

test('a capability is told in words, whatever its record has', () => {
  const catalog = {
    ...{ capabilityId: 'cap.docs.review', name: 'Review of docs', version: '1.2.0', status: 'active' },
    ...{ ownerAgentId: 'emma', ownerNodeId: 'tower', defaultEtaSeconds: 900 },
    executorSkillRef: { name: 'review', version: '3' },
  };
  assert.deepEqual(factsOf({ catalog, eligibleAgentIds: ['emma', 'critic'], policyVersion: null }), {
    ...{ id: 'cap.docs.review', name: 'Review of docs', version: '1.2.0', status: 'active', agent: 'emma' },
    ...{ node: 'tower', eta: '15 min', skill: 'review 3', eligible: 2 },
  });
  const odd = factsOf({
    catalog: { capabilityId: 7, name: 'x'.repeat(10_000), defaultEtaSeconds: -1, executorSkillRef: null },
    eligibleAgentIds: [],
    policyVersion: null,
  });
  assert.deepEqual([odd.id, odd.name.length, odd.eta, odd.skill], ['', 60, '', '']);
});
