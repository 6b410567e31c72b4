import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { isRefusal } from '../../src/domain/refusal.ts';
import type { Federation } from '../../src/federation/federation.ts';
import { removeNode, trustNode } from '../../src/federation/nodes/change-trust.ts';
import { nodeLinks } from '../../src/federation/nodes/node-links.ts';
import { nodeStatus } from '../../src/federation/nodes/node-status.ts';
import { KEYS } from '../../src/federation/records.ts';
import { selectEvents } from '../../src/ledger/statements/events.ts';
import { dismissIncident } from '../../src/operations/dismiss-incident.ts';
import { MemoryFederation } from '../support/federation/memory-federation.ts';
import { taken } from '../support/taken.ts';

async function peerOf(federation: Federation, node: string) {
  const found = (await nodeStatus(federation)).peers.find(({ nodeId }) => nodeId === node);
  assert.ok(found, `${node} is shown`);
  return found;
}

async function incidentsOf(federation: Federation) {
  return (await nodeStatus(federation)).incidents.map(({ kind, node, actions }) => [kind, node, actions.join()]);
}

/** Changes the record of a node, as anybody who can write to the store can. */
async function forge(
  by: Federation,
  nodeId: string,
  change: (record: Record<string, unknown>) => object,
): Promise<void> {
  const { transport } = by.parts;
  const entry = await transport.get(KEYS.node(nodeId));
  const record = JSON.parse(entry?.value ?? '{}') as Record<string, unknown>;
  await transport.put(KEYS.node(nodeId), JSON.stringify(change(record)), entry?.revision ?? 0);
}

test('where nodes are listed, one that has something for this node asks once, and is accepted when a person trusts it', async () => {
  const play = new MemoryFederation();
  const laptop = await play.join('laptop', { isTrustNeeded: true });
  const tower = await play.join('tower');
  assert.equal((await peerOf(laptop, 'tower')).standing, 'asks');
  assert.deepEqual(await incidentsOf(laptop), [], 'nobody is asked about a node that has nothing for this one');
  await play.send(tower, 'laptop', 'hello');
  await play.pass(35_000);
  assert.deepEqual(await incidentsOf(laptop), [['join_request:tower', 'tower', 'trust,remove']]);
  assert.equal((await peerOf(laptop, 'tower')).cursor, 0, 'nothing of it is read');
  const { keyId } = await peerOf(laptop, 'tower');
  const wrong = await trustNode(laptop, { node: 'tower', key: '0000000000000000' });
  assert.ok(isRefusal(wrong) && wrong.code === 'key_differs', JSON.stringify(wrong));
  assert.equal((await peerOf(laptop, 'tower')).standing, 'asks');
  assert.deepEqual(taken(await trustNode(laptop, { node: 'tower', key: keyId })), {
    nodeId: 'tower',
    trust: 'trusted',
    keyId,
  });
  await play.pass(2_000);
  const peer = await peerOf(laptop, 'tower');
  assert.deepEqual([peer.standing, peer.cursor > 0, peer.lag], ['accepted', true, 0]);
  assert.deepEqual(await incidentsOf(laptop), []);
  const told = selectEvents(laptop.parts.ledger.read, 0).map(({ type, actor }) => `${type} ${actor}`);
  assert.ok(told.includes('incident.opened tower') && told.includes('incident.closed operator'), told.join());
});

test('a key that somebody put beside the right one is not trusted', async () => {
  const play = new MemoryFederation();
  const laptop = await play.join('laptop', { isTrustNeeded: true });
  const tower = await play.join('tower');
  const { keyId } = await peerOf(laptop, 'tower');
  const { x } = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });
  await forge(tower, 'tower', (record) => ({ ...record, keys: { ...(record.keys as object), exchangeKey: x } }));
  const answer = await trustNode(laptop, { node: 'tower', key: keyId });
  assert.ok(isRefusal(answer) && answer.code === 'key_differs', JSON.stringify(answer));
  assert.equal((await peerOf(laptop, 'tower')).trust, 'known');
});

test('a node under another key is shown with both, and once it is removed nobody is asked again', async () => {
  const play = new MemoryFederation();
  const laptop = await play.join('laptop');
  const tower = await play.join('tower');
  await play.send(tower, 'laptop', 'hello');
  await play.pass(2_000);
  const before = await peerOf(laptop, 'tower');
  await play.stop(tower, { isLeaving: true });
  const second = await play.join('tower', { key: (await play.join('spare')).parts.key });
  await play.send(second, 'laptop', 'who am I');
  await play.pass(35_000);
  // The events of the new one that were not accepted are missed, too.
  const wrong = async () => (await incidentsOf(laptop)).filter(([kind]) => kind !== 'gap');
  assert.deepEqual(await wrong(), [
    ['changed_key:tower', 'tower', 'trust,remove'],
    ['refused_frame:tower', 'tower', 'remove,dismiss'],
  ]);
  const changed = await peerOf(laptop, 'tower');
  assert.deepEqual(
    [changed.standing, changed.keyId, changed.shownKeyId === before.keyId],
    ['other-key', before.keyId, false],
  );
  assert.equal(changed.shownKeyId, (await peerOf(laptop, 'spare')).keyId);
  taken(await removeNode(laptop, 'tower'));
  await play.pass(65_000);
  assert.deepEqual([await wrong(), (await peerOf(laptop, 'tower')).standing], [[], 'removed']);
});

test('words of another node are cut, its instants are instants, and its agents have an end', async () => {
  const play = new MemoryFederation();
  const laptop = await play.join('laptop');
  const tower = await play.join('tower');
  const long = 'x'.repeat(900);
  const agents = Array.from({ length: 3_000 }, (_, at) => ({
    name: `${at}${long}`,
    role: long,
    load: -1,
    slots: 'many',
  }));
  await forge(tower, 'tower', (record) => ({
    ...record,
    version: long,
    heartbeatAt: `<b>${long}`,
    agents: agents.slice(0, 60),
  }));
  const peer = await peerOf(laptop, 'tower');
  assert.ok(JSON.stringify(peer).length < 20_000, `${JSON.stringify(peer).length} characters`);
  assert.deepEqual([peer.heartbeatAt, peer.agents.length, peer.agentsTotal], [null, 50, 60]);
  assert.deepEqual([peer.agents[0]?.load, peer.agents[0]?.slots, peer.version.length], [0, 0, 100]);
});

test('a dead node is told from one that has left, by the clock of the store', async () => {
  const play = new MemoryFederation();
  const laptop = await play.join('laptop');
  const tower = await play.join('tower');
  const old = await play.join('old');
  await play.stop(old, { isLeaving: true });
  await play.stop(tower);
  await play.pass(95_000);
  assert.deepEqual([(await peerOf(laptop, 'tower')).life, (await peerOf(laptop, 'old')).life], ['dead', 'left']);
  const seenMs = Date.parse((await peerOf(laptop, 'tower')).seenAt ?? '');
  const agoMs = laptop.parts.clock.now().wallMs - seenMs;
  assert.ok(agoMs >= 90_000 && agoMs < 130_000, `${agoMs} ms ago`);
  await forge(laptop, 'tower', (record) => ({ ...record, status: 'dead' }));
  assert.equal((await peerOf(laptop, 'tower')).life, 'dead');
  assert.ok(
    Math.abs(Date.parse((await peerOf(laptop, 'tower')).seenAt ?? '') - seenMs) < 2_000,
    'not since it was declared',
  );
});

test('links tell the lag of each pair in both directions, and of pairs between others on demand', async () => {
  const play = new MemoryFederation();
  const [a, b, c] = [await play.join('a'), await play.join('b'), await play.join('c')];
  await play.send(a, 'b', 'one');
  await play.send(b, 'c', 'two');
  await play.pass(10_000);
  play.store.cut('c');
  await play.send(b, 'c', 'three');
  await play.pass(10_000);
  const own = await nodeLinks(a, false);
  assert.deepEqual(own.links.map(({ source, reader, lag }) => `${reader} reads ${source}: ${lag}`).sort(), [
    'a reads b: 0',
    'b reads a: 0',
  ]);
  const all = await nodeLinks(a, true);
  const [worst] = all.links;
  assert.deepEqual([worst?.source, worst?.reader], ['b', 'c']);
  assert.ok((worst?.lag ?? 0) > 0);
  assert.ok(all.total >= 4);
  assert.ok(c);
});

test('an incident about a lost event ends when a person dismisses it, one with a lasting cause does not', async () => {
  const play = new MemoryFederation();
  const laptop = await play.join('laptop');
  const tower = await play.join('tower');
  await play.send(tower, 'laptop', 'one');
  await play.pass(2_000);
  play.store.cut('laptop');
  for (const body of ['two', 'three', 'four']) await play.send(tower, 'laptop', body);
  const { seq } = tower.sender && (await nodeStatus(tower));
  play.store.lose((frame) => frame.source === 'tower' && frame.seq === seq - 1);
  play.store.cut('tower');
  play.store.heal('laptop');
  await play.pass(12_000);
  const waiting = await peerOf(laptop, 'tower');
  assert.deepEqual([waiting.missing?.last, waiting.gaps], [seq - 1, 1]);
  await play.pass(25_000);
  const lost = await peerOf(laptop, 'tower');
  assert.deepEqual([lost.missing, lost.lost.at(0)?.last], [null, seq - 1]);
  const [incident] = (await nodeStatus(laptop)).incidents;
  assert.deepEqual([incident?.kind, incident?.node, incident?.actions], ['gap', 'tower', ['dismiss']]);
  const { ledger } = laptop.parts;
  const first = taken(await ledger.submit(dismissIncident, { incident: incident?.id ?? '' }));
  await play.pass(1_000);
  const again = taken(await ledger.submit(dismissIncident, { incident: incident?.id ?? '' }));
  assert.deepEqual([(await nodeStatus(laptop)).incidents, again], [[], first]);
  const nobody = await ledger.submit(dismissIncident, { incident: 'inc_0' });
  assert.ok(isRefusal(nobody) && nobody.code === 'incident_not_found');
  const lasting = await play.join('lasting', { isTrustNeeded: true });
  await play.send(laptop, 'lasting', 'hello');
  await play.pass(35_000);
  const [asks] = (await nodeStatus(lasting)).incidents;
  assert.equal(asks?.kind, 'join_request:laptop');
  const kept = await lasting.parts.ledger.submit(dismissIncident, { incident: asks?.id ?? '' });
  assert.ok(isRefusal(kept) && kept.code === 'invalid_argument', JSON.stringify(kept));
  assert.match(kept.hint, /baton node trust NODE, or baton node remove NODE/);
  assert.equal((await nodeStatus(lasting)).incidents.length, 1);
});
