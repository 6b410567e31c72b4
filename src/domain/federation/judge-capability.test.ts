import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../refusal.ts';
import { type CapabilityDraft, compareVersions } from './capability.ts';
import { judgeCapability, type PublicationFacts } from './judge-capability.ts';

const DRAFT: CapabilityDraft = {
  capabilityId: 'cap.fs.diff-apply',
  version: '1.3.0',
  ownerAgentId: 'executor',
  executorSkillRef: { name: 'fs', version: '1.3.0' },
};

const OWNERS: Readonly<Record<string, string>> = { executor: 'laptop', critic: 'server' };

const FACTS: PublicationFacts = {
  nodeId: 'laptop',
  federation: 'baton',
  publishedAt: '2026-02-25T16:30:00.000Z',
  ownerOf: (agent) => OWNERS[agent] ?? null,
  skills: [{ name: 'fs', version: '1.3.0' }],
  present: null,
  isPresentOwnerAlive: true,
};

function judged(draft: Partial<CapabilityDraft> = {}, facts: Partial<PublicationFacts> = {}) {
  const verdict = judgeCapability({ ...DRAFT, ...draft }, { ...FACTS, ...facts });
  return isRefusal(verdict) ? `${verdict.code} ${verdict.path}` : verdict;
}

function published() {
  const record = judged();
  assert.ok(typeof record !== 'string', String(record));
  return record;
}

test('a publication becomes a record with every field of the document', () => {
  assert.deepEqual(judged(), {
    capabilityId: 'cap.fs.diff-apply',
    name: 'cap.fs.diff-apply',
    version: '1.3.0',
    status: 'active',
    ownerAgentId: 'executor',
    ownerNodeId: 'laptop',
    delegationSkillRef: { name: 'fs', version: '1.3.0' },
    executorSkillRef: { name: 'fs', version: '1.3.0' },
    contractSchemaRef: 'schema://baton/cap.fs.diff-apply/1.3.0',
    defaultEtaSeconds: 900,
    publishedAt: '2026-02-25T16:30:00.000Z',
    publishedByAgentId: 'executor',
  });
});

test('a wrong id, version or ETA is an invalid capability', () => {
  for (const capabilityId of ['', '../x', 'a..b', 'a/b', 'a b', 'x'.repeat(201), 'no-capability'])
    assert.equal(judged({ capabilityId }), 'invalid_capability /capabilityId', capabilityId);
  assert.equal(judged({ version: 'new' }), 'invalid_capability /version');
  for (const defaultEtaSeconds of [29, 86_401, 30.5, Number.NaN])
    assert.equal(judged({ defaultEtaSeconds }), 'invalid_capability /defaultEtaSeconds');
  for (const defaultEtaSeconds of [30, 86_400]) assert.equal(typeof judged({ defaultEtaSeconds }), 'object');
});

test('the owner must exist, be active and be on the node that publishes', () => {
  assert.equal(judged({ ownerAgentId: 'nobody' }), 'owner_unavailable /ownerAgentId');
  assert.equal(judged({}, { ownerOf: () => null }), 'owner_unavailable /ownerAgentId');
  assert.equal(judged({ ownerAgentId: 'critic' }), 'unauthorized_agent /ownerAgentId');
  assert.equal(judged({ ownerNodeId: 'server' }), 'unauthorized_agent /ownerAgentId');
  assert.equal(judged({ eligibleAgentIds: ['critic'] }) === null, false);
  assert.equal(judged({ eligibleAgentIds: ['nobody'] }), 'owner_unavailable /eligibleAgentIds');
});

test('the skill must resolve in exactly this version', () => {
  assert.equal(judged({}, { skills: [] }), 'capability_unavailable /executorSkillRef');
  assert.equal(judged({}, { skills: [{ name: 'fs', version: '1.2.0' }] }), 'capability_unavailable /executorSkillRef');
});

test('a published version never changes and never goes back', () => {
  const present = published();
  assert.equal(typeof judged({}, { present }), 'object', 'the same again');
  assert.equal(judged({ name: 'Another' }, { present }), 'version_incompatible /version');
  assert.equal(judged({ version: '1.2.9' }, { present }), 'version_incompatible /version');
  assert.equal(typeof judged({ version: '1.4.0', name: 'Another' }, { present }), 'object');
  assert.equal(typeof judged({ status: 'deprecated' }, { present }), 'object', 'it may be deprecated');
});

test('a capability of another node is its own to change', () => {
  const present = { ...published(), ownerNodeId: 'server', ownerAgentId: 'critic' };
  assert.equal(judged({ version: '2.0.0' }, { present }), 'unauthorized_agent /capabilityId');
  const gone = { present: { ...present, status: 'disabled' as const }, isPresentOwnerAlive: false };
  assert.equal(typeof judged({ version: '2.0.0' }, gone), 'object');
  const taken = { present, ownerOf: () => 'laptop' };
  assert.equal(typeof judged({ version: '2.0.0' }, taken), 'object', 'this node has taken its agent over');
});

test('versions compare by their numbers, a preview before its release', () => {
  const sorted = ['1.10.0', '1.2.0', '2', '1.2.0-rc.1', '1.2'].sort(compareVersions);
  assert.deepEqual(sorted, ['1.2.0-rc.1', '1.2.0', '1.2', '1.10.0', '2']);
});
