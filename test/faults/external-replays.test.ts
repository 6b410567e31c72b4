import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { AuditPage } from '../../src/api/external/external-contract.ts';
import { scratchFolder } from '../support/data-folder.ts';
import { outcome } from '../support/external/external-client.ts';
import { ExternalDaemon } from '../support/external/external-daemon.ts';
import { replay } from '../support/external/external-replays.ts';
import { taken } from '../support/taken.ts';

const scratch = scratchFolder('external-replays-long');
const ROUNDS = 10;
const REPLAYS_A_ROUND = 10_000;
/** A proof that is replayed for more than a minute is too old. */
const CODES = ['rate_limited', 'replay_detected', 'use_dpop_nonce'];

test(`of ${ROUNDS * REPLAYS_A_ROUND} replays none is accepted, the audit counts each, and the agent itself is served`, async () => {
  const node = await ExternalDaemon.start(join(scratch, 'replays'));
  const agent = await node.enrol('replayed');
  const before = await countRefused(node);
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const counts = await replay(agent, REPLAYS_A_ROUND, 100);
    for (const [code, times] of counts) {
      assert.ok(CODES.includes(code), code);
      refused += times;
    }
    assert.equal(outcome(await agent.invoke('status.read')), 'ok');
  }
  assert.equal(refused, ROUNDS * REPLAYS_A_ROUND);
  // Refusals of one second are counted together.
  await wait(1_500);
  assert.ok((await countRefused(node)) - before >= refused);
});

async function countRefused(node: ExternalDaemon): Promise<number> {
  let counted = 0;
  for (let after: number | null = 0; after !== null; ) {
    const page: AuditPage = taken(await node.client.readAudit({ verdict: 'refused', after }));
    for (const { times } of page.entries) counted += times;
    after = page.next;
  }
  return counted;
}
