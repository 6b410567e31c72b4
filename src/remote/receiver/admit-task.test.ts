import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Capability } from '../../domain/federation/capability.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { MemoryStore } from '../../federation/memory/memory-store.ts';
import { MemoryTransport } from '../../federation/memory/memory-transport.ts';
import type { InboxRow } from '../../ledger/statements/federation/inbox.ts';
import type { TaskCreateEnvelope } from '../../protocols/runtime/schema/events.ts';
import { type NeededCapability, neededCapabilities, taskToAdmit } from './admit-task.ts';
import type { ReceivedWork } from './received-work.ts';

const ROW = { source: 'laptop', eventId: 'evt_1' } as InboxRow;

function admitted(
  payload: object,
  capabilities: readonly NeededCapability[] = [],
  skill: string | null = 'step by step',
) {
  const work = { skillText: () => skill } as unknown as ReceivedWork;
  const envelope = { sourceAgentId: 'emma', payload: { title: 'Rename it', ...payload } } as TaskCreateEnvelope;
  return taskToAdmit(work, { row: ROW, envelope, agent: 'claude', capabilities });
}

function wordsOf(...given: Parameters<typeof admitted>): string {
  const task = admitted(...given);
  assert.ok(!isRefusal(task));
  return task.words;
}

test('the words are the description, with the title first unless it begins with it', () => {
  assert.equal(wordsOf({}), 'Rename it');
  assert.equal(wordsOf({ description: ' \n' }), 'Rename it');
  assert.equal(wordsOf({ description: 'Rename it everywhere' }), 'Rename it everywhere');
  assert.equal(wordsOf({ description: 'Everywhere' }), 'Rename it\n\nEverywhere');
});

test('a grant that does not fit counts as none, and files and a TASK are taken as they came', () => {
  const task = admitted({ x_order: { network: 'ALL OF IT' }, x_work: { version: 9 }, x_aop: { a: 1 } });
  assert.ok(!isRefusal(task));
  const { grant, depth, parcel, aop, requester } = task;
  assert.deepEqual(
    { grant, depth, parcel, aop, requester },
    { grant: null, depth: 0, parcel: { version: 9 }, aop: { a: 1 }, requester: 'emma' },
  );
});

const CAPABILITY: NeededCapability = {
  catalog: { name: 'Translate', executorSkillRef: { name: 'translate', version: '1.0.0' } } as unknown as Capability,
  eligibleAgentIds: ['claude'],
  policyVersion: null,
  contract: '{"type": "object"}',
};

test('the agent gets the skill of each capability and the contract of its result', () => {
  const words = wordsOf({}, [CAPABILITY]);
  assert.match(words, /How Translate is done here \(skill translate 1\.0\.0\):\n\nstep by step/);
  assert.match(words, /result\.json.*\n\n\{"type": "object"\}$/s);
});

test('a task is refused where the skill of its capability is not here', () => {
  const refusal = admitted({}, [CAPABILITY], null);
  assert.ok(isRefusal(refusal));
  assert.equal(refusal.code, 'capability_unavailable');
});

test('a capability that nobody has published, or that cannot have been, is refused', async () => {
  const transport = new MemoryTransport(new MemoryStore(() => 0), 'tower');
  for (const id of ['translate', 'no key at all *']) {
    const found = await neededCapabilities(transport, [id]);
    assert.ok(isRefusal(found));
    assert.equal(found.code, 'capability_unavailable');
  }
  assert.deepEqual(await neededCapabilities(transport, []), []);
});
