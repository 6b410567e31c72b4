import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { USED_PROOF_KEPT_MS } from '../../src/domain/external/external-limits.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import { admitCall, type CallToAdmit } from '../../src/external/admit-call.ts';
import { exchangeInvite } from '../../src/external/enrol-agent.ts';
import { inviteAgent } from '../../src/external/invite-agent.ts';
import { scratchFolder } from '../support/data-folder.ts';
import { ExternalStage, newKey, outcome } from '../support/external/external-client.ts';
import { ExternalDaemon } from '../support/external/external-daemon.ts';
import { killWhileEnrolling, replay, replayAcrossKill } from '../support/external/external-replays.ts';
import { openTestLedger } from '../support/test-ledger.ts';

// Replays and floods: B1 across kill -9, B9 by guesses, B10, and limits on calls. npm run faults has more of each.

const scratch = scratchFolder('external-replays');
const node = await ExternalDaemon.start(join(scratch, 'data'));

describe('replays', () => {
  test('of a thousand replays none is accepted', async () => {
    const counts = await replay(await node.enrol('replayed'), 1_000);
    assert.deepEqual([...counts], [['replay_detected', 1_000]]);
  });

  test('a proof that was used before a kill -9 is still used after it', async () => {
    const killed = await ExternalDaemon.start(join(scratch, 'killed'));
    const agent = await killed.enrol('killed');
    assert.deepEqual(new Set(await replayAcrossKill(killed, agent, 20)), new Set(['replay_detected']));
    assert.equal(outcome(await agent.invoke('status.read')), 'ok', 'tokens and nonces live on');
  });

  test('an invite that is exchanged while the node is killed enrols one key', async () => {
    const killed = await ExternalDaemon.start(join(scratch, 'enrolling'));
    for (const afterMs of [0, 3, 10]) await killWhileEnrolling(killed, afterMs);
  });
});

describe('floods', () => {
  test('after five wrong invites in a minute an address is refused, with a right one too', async () => {
    const invite = await node.invite('guessed');
    const stage = new ExternalStage(node.url, await newKey(), '127.0.0.9');
    const wrong = async () => outcome(await stage.enrol(`baton-invite-${'A'.repeat(43)}`));
    for (let at = 0; at < 5; at++) assert.equal(await wrong(), 'invalid_invite');
    assert.equal(await wrong(), 'rate_limited');
    const right = await stage.enrol(invite);
    assert.deepEqual([right.status, outcome(right), right.headers['retry-after']], [429, 'rate_limited', '60']);
    const elsewhere = new ExternalStage(node.url, await newKey(), '127.0.0.10');
    assert.equal(outcome(await elsewhere.enrol(invite)), 'ok');
  });

  test('an agent that calls too often is refused, and no other one', async () => {
    const [loud, quiet] = [await node.enrol('loud'), await node.enrol('quiet')];
    const seen = new Set<string>();
    for (let sent = 0; sent < 1_200 && !seen.has('rate_limited'); sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => loud.invoke('status.read')));
      for (const answer of answers) seen.add(outcome(answer));
    }
    assert.deepEqual(seen, new Set(['ok', 'rate_limited']));
    assert.equal(outcome(await quiet.invoke('status.read')), 'ok');
  });
});

describe('B10: the memory of used proofs', () => {
  async function stage() {
    const { ledger, clock } = openTestLedger();
    const address = '127.0.0.1';
    const use = (jti: string) => ({ thumbprint: 'key', jti, target: 'POST http://node/' });
    await ledger.submit(inviteAgent, { agent: 'ext', scopes: ['task.read'], ttlMs: 1_000, codeHash: 'code' });
    const enrolled = await ledger.submit(exchangeInvite, {
      proof: use('first'),
      codeHash: 'code',
      refreshHash: 'r',
      address,
    });
    assert.ok(!isRefusal(enrolled) && enrolled.kind === 'enrolled');
    const sessionId = enrolled.enrolment.id;
    const admit = async (jti: string, proofsMax: number) => {
      const caller = { agent: 'ext', sessionId, scopes: [], task: null };
      const call = { operation: 'task.list', address, actor: 'ext', sessionId };
      const facts: CallToAdmit = { caller, call, proof: use(jti), isCorrelationGiven: false, refusal: null, proofsMax };
      const answer = await ledger.submit(admitCall, facts);
      assert.ok(!isRefusal(answer));
      return answer.kind === 'refused' ? answer.refusal.code : 'admitted';
    };
    return { admit, clock };
  }

  test('a flood is refused, and forgets no proof that could be used again', async () => {
    const { admit, clock } = await stage();
    for (let at = 0; at < 9; at++) assert.equal(await admit(`p${at}`, 10), 'admitted');
    for (let at = 0; at < 20; at++) assert.equal(await admit(`flood${at}`, 10), 'rate_limited');
    for (const jti of ['first', 'p0', 'p8']) assert.equal(await admit(jti, 10), 'replay_detected');
    clock.step(USED_PROOF_KEPT_MS);
    assert.equal(await admit('flood0', 10), 'admitted', 'those that have ended make room');
    assert.equal(await admit('flood0', 10), 'replay_detected');
  });

  test('a clock that jumps ahead and back forgets none', async () => {
    const { admit, clock } = await stage();
    assert.equal(await admit('p', 100), 'admitted');
    clock.jumpWall(86_400_000);
    assert.equal(await admit('q', 100), 'admitted');
    clock.jumpWall(-86_400_000);
    assert.equal(await admit('p', 100), 'replay_detected');
  });
});
