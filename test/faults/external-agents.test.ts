import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { scratchFolder } from '../support/data-folder.ts';
import { ExternalStage, newKey, outcome } from '../support/external/external-client.ts';
import { ExternalDaemon } from '../support/external/external-daemon.ts';
import { killWhileEnrolling, replayAcrossKill } from '../support/external/external-replays.ts';

const scratch = scratchFolder('external-faults');
const KILLS = 25;
const PROOFS_A_KILL = 40;
const ENROLMENTS_KILLED = 40;
const DAY = 86_400;

test(`in ${KILLS} kills no proof that was used before is accepted after`, async () => {
  const node = await ExternalDaemon.start(join(scratch, 'kills'));
  const agent = await node.enrol('killed');
  for (let at = 0; at < KILLS; at++) {
    const outcomes = new Set(await replayAcrossKill(node, agent, PROOFS_A_KILL));
    assert.deepEqual(outcomes, new Set(['replay_detected']), `kill ${at}`);
    if (at % 8 === 7) assert.equal(outcome(await agent.renew()), 'ok');
  }
});

test(`in ${ENROLMENTS_KILLED} exchanges that a kill interrupts, each invite enrols one key`, async () => {
  const node = await ExternalDaemon.start(join(scratch, 'enrolments'));
  const ends = new Map<string, number>();
  for (let at = 0; at < ENROLMENTS_KILLED; at++) {
    const end = await killWhileEnrolling(node, at % 20);
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  assert.equal(ends.size, 2, `some before and some after the commit: ${JSON.stringify([...ends])}`);
});

test('of sixty-four that exchange one invite at the same time one wins, twenty times', async () => {
  const node = await ExternalDaemon.start(join(scratch, 'crowd'));
  const stages = await Promise.all(
    Array.from({ length: 64 }, async () => new ExternalStage(node.url, await newKey('EdDSA'))),
  );
  for (let round = 0; round < 20; round++) {
    const invite = await node.invite(`crowd-${round}`);
    const outcomes = await Promise.all(stages.map(async (stage) => outcome(await stage.enrol(invite))));
    assert.deepEqual([...new Set(outcomes)].toSorted(), ['invite_used', 'ok']);
    assert.equal(outcomes.filter((each) => each === 'ok').length, 1);
  }
});

test('a captured proof that was never used is refused after 61 seconds, whatever the clock of its maker says', async () => {
  const node = await ExternalDaemon.start(join(scratch, 'late'));
  const agent = await node.enrol('late');
  const path = '/v1/external/invoke';
  const body = JSON.stringify({ operation: 'status.read' });
  const captured: string[] = [];
  for (const off of [0, DAY, -DAY]) {
    const claims = { iat: Math.floor(Date.now() / 1000) + off };
    captured.push(await agent.proof({ method: 'POST', url: `${agent.url}${path}`, body, token: agent.access, claims }));
  }
  await wait(61_500);
  for (const dpop of captured) {
    const headers = { authorization: `DPoP ${agent.access}`, dpop };
    assert.equal(outcome(await agent.raw(path, headers, body)), 'use_dpop_nonce');
  }
  assert.equal(outcome(await agent.invoke('status.read')), 'ok');
});
