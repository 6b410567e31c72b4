import assert from 'node:assert/strict';
import { ExternalStage, newKey, outcome } from './external-client.ts';
import type { ExternalDaemon } from './external-daemon.ts';

const PATH = '/v1/external/invoke';
const BODY = JSON.stringify({ operation: 'status.read' });

/** Uses one proof, replays it many times at once, and counts the answers. */
export async function replay(agent: ExternalStage, times: number, atOnce = 50): Promise<ReadonlyMap<string, number>> {
  const dpop = await agent.proof({ method: 'POST', url: `${agent.url}${PATH}`, body: BODY, token: agent.access });
  const headers = { authorization: `DPoP ${agent.access}`, dpop };
  assert.equal(outcome(await agent.raw(PATH, headers, BODY)), 'ok');
  const counts = new Map<string, number>();
  for (let sent = 0; sent < times; sent += atOnce) {
    const size = Math.min(atOnce, times - sent);
    const answers = await Promise.all(Array.from({ length: size }, () => agent.raw(PATH, headers, BODY)));
    for (const answer of answers) counts.set(outcome(answer), (counts.get(outcome(answer)) ?? 0) + 1);
  }
  return counts;
}

/** Uses proofs, kills the node with -9, and sends the same proofs to the next node. */
export async function replayAcrossKill(
  node: ExternalDaemon,
  agent: ExternalStage,
  proofs: number,
): Promise<readonly string[]> {
  const used: { readonly authorization: string; readonly dpop: string }[] = [];
  for (let at = 0; at < proofs; at++) {
    const dpop = await agent.proof({ method: 'POST', url: `${agent.url}${PATH}`, body: BODY, token: agent.access });
    used.push({ authorization: `DPoP ${agent.access}`, dpop });
  }
  const before = await Promise.all(used.map((headers) => agent.raw(PATH, headers, BODY)));
  assert.deepEqual(
    before.map(outcome),
    used.map(() => 'ok'),
  );
  await node.killAndStart();
  const after = await Promise.all(used.map((headers) => agent.raw(PATH, headers, BODY)));
  return after.map(outcome);
}

/** Kills the node while an invite is exchanged: afterwards it is used by one key, or can be used by one. */
export async function killWhileEnrolling(node: ExternalDaemon, afterMs: number): Promise<'used' | 'open'> {
  const name = `killed-${afterMs}-${Date.now()}`;
  const invite = await node.invite(name);
  const stage = new ExternalStage(node.url, await newKey());
  await stage.call('/v1/external/refresh', { refresh_token: 'x' });
  const answer = stage.enrol(invite).then(outcome, () => 'no answer');
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await node.killAndStart();
  const wasAnswered = (await answer) === 'ok';
  const second = new ExternalStage(node.url, await newKey());
  const again = outcome(await second.enrol(invite));
  assert.match(again, /^(ok|invite_used)$/);
  if (wasAnswered) {
    assert.equal(again, 'invite_used', 'an answered exchange is never undone');
    assert.equal(outcome(await stage.invoke('status.read')), 'ok');
  }
  const agents = await node.client.listExternalAgents();
  assert.ok('agents' in agents);
  assert.equal(agents.agents.filter(({ agent }) => agent === name).length, 1, 'exactly one key is enrolled');
  return again === 'ok' ? 'open' : 'used';
}
