import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../../src/domain/refusal.ts';
import type { Federation } from '../../src/federation/federation.ts';
import { type OutgoingMessage, sendMail } from '../../src/federation/messages/send-mail.ts';
import { nodeStatus } from '../../src/federation/nodes/node-status.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { selectMail } from '../../src/ledger/statements/federation/inbox.ts';
import { MemoryFederation } from '../support/federation/memory-federation.ts';
import { taken } from '../support/taken.ts';

async function sent(from: Federation, ...to: string[]) {
  const message: OutgoingMessage = { to, body: 'hello' };
  const { read, submit } = from.parts.ledger;
  const submitOnce: Ledger['submitOnce'] = (_key, command, facts) => submit(command, facts);
  return await sendMail(from, message, { ledger: { read, submitOnce }, request: message });
}

function codeOf(answer: unknown): string {
  return isRefusal(answer) ? answer.code : 'sent';
}

async function peer(of: Federation, name: string) {
  return (await nodeStatus(of)).peers.find(({ nodeId }) => nodeId === name);
}

function mailOf({ parts: { ledger } }: Federation, agent: string): number {
  return selectMail(ledger.read, { agent, isUnreadOnly: true, limit: 10 }).length;
}

/** Three nodes that have been on for some minutes, and had nothing to say to each other. */
async function threeNodes() {
  const play = new MemoryFederation();
  const laptop = await play.join('laptop');
  const tower = await play.join('tower');
  const shed = await play.join('shed');
  await play.pass(70_000);
  return { play, laptop, tower, shed };
}

test('without its store a node tells from its ledger which nodes there are, their agents, and when they were seen', async () => {
  const { play, laptop } = await threeNodes();
  play.store.cut('laptop');
  await play.pass(200_000);
  const { connected, peers } = await nodeStatus(laptop);
  assert.equal(connected, false);
  assert.deepEqual(
    peers.map(({ nodeId, alive, life, agents }) => [nodeId, alive, life, agents.map(({ name }) => name).join()]),
    [
      ['shed', false, 'unseen', 'shed-agent'],
      ['tower', false, 'unseen', 'tower-agent'],
    ],
  );
  const seenMs = play.time.nowMs - Date.parse(peers[1]?.seenAt ?? '');
  assert.ok(seenMs >= 200_000 && seenMs < 270_000, `${seenMs} ms ago`);
});

test('a node that starts while the store is away knows the others from its ledger', async () => {
  const { play, laptop } = await threeNodes();
  await play.stop(laptop);
  play.store.cut('laptop');
  const again = await play.restart('laptop', laptop);
  assert.equal((await peer(again, 'tower'))?.agents[0]?.name, 'tower-agent');
  assert.equal(codeOf(await sent(again, 'tower-agent')), 'sent');
  assert.equal(codeOf(await sent(again, 'shed')), 'sent');
  assert.equal(codeOf(await sent(again, 'all')), 'sent');
  const unknown = await sent(again, 'nobody').catch((error: Error) => error);
  assert.match(String(unknown), /TransportFault/, 'of an unknown name the store alone could tell');
});

test('a store that came back empty: messages for known agents are sent, and arrive when their nodes are back', async () => {
  const { play, laptop, tower, shed } = await threeNodes();
  for (const name of ['laptop', 'tower', 'shed']) play.store.cut(name);
  await play.pass(20_000);
  play.store.wipe();
  play.store.heal('laptop');
  await play.pass(2_000);
  for (const to of ['tower-agent', 'shed', 'shed-agent@shed']) assert.equal(codeOf(await sent(laptop, to)), 'sent', to);
  const all = taken(await sent(laptop, 'all'));
  assert.ok(all.eventId);
  assert.equal(codeOf(await sent(laptop, 'nobody')), 'invalid_targets');
  play.store.heal('tower');
  play.store.heal('shed');
  await play.pass(120_000);
  assert.equal(mailOf(tower, 'tower-agent'), 2);
  assert.equal(mailOf(shed, 'shed-agent'), 1);
});

test('an agent that its node does not offer any more is nobody, although the ledger knew it', async () => {
  const play = new MemoryFederation();
  const laptop = await play.join('laptop');
  const agents = [{ name: 'emma', role: '', provider: 'OTHER', model: '', load: 0, slots: 1 }];
  await play.join('tower', { agents: () => agents });
  await play.pass(40_000);
  assert.equal(codeOf(await sent(laptop, 'emma@tower')), 'sent');
  agents.length = 0;
  await play.pass(40_000);
  assert.equal(codeOf(await sent(laptop, 'emma@tower')), 'invalid_targets');
});

test('a node is silent after 60 s and dead after 90 s', async () => {
  const { play, laptop } = await threeNodes();
  play.store.cut('tower');
  await play.pass(62_000);
  assert.deepEqual([(await peer(laptop, 'tower'))?.life, (await peer(laptop, 'tower'))?.alive], ['silent', true]);
  await play.pass(35_000);
  assert.deepEqual([(await peer(laptop, 'tower'))?.life, (await peer(laptop, 'tower'))?.alive], ['dead', false]);
});

test('the time in which the store was away counts for nobody: no living node is taken for dead when it returns', async () => {
  const { play, laptop, tower, shed } = await threeNodes();
  for (const name of ['laptop', 'tower', 'shed']) play.store.cut(name);
  await play.pass(600_000);
  play.store.heal('laptop');
  await play.pass(3_000);
  assert.equal((await peer(laptop, 'tower'))?.life, 'alive');
  play.store.heal('tower');
  await play.pass(3_000);
  assert.deepEqual([tower.presence.owned, (await peer(laptop, 'tower'))?.life], [['tower-agent'], 'alive']);
  await play.pass(60_000);
  assert.equal((await peer(laptop, 'shed'))?.life, 'silent', 'one that does not come back is noticed');
  await play.pass(40_000);
  assert.equal((await peer(laptop, 'shed'))?.life, 'dead');
  assert.ok(shed);
});
