import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '../../src/federation/transport.ts';
import { selectOpenIncidents } from '../../src/ledger/statements/incidents.ts';
import { simPair } from '../support/federation/sim-federation.ts';

/** Two nodes that know each other, and the frame of the one message that `a` has sent to `b`. */
async function stage() {
  const pair = simPair();
  const { a, b, store, pass } = pair;
  await a.start();
  await b.start();
  await a.send(['b'], 'genuine');
  await pass(3_000);
  const [genuine] = store.framesFor('a', 'b', null).map(({ frame }) => frame);
  assert.ok(genuine);
  const envelopeOf = (changes: object) => JSON.stringify({ ...JSON.parse(genuine.envelope), ...changes });
  const incidents = () => selectOpenIncidents(b.ledger.read, 10).map(({ kind }) => kind);
  return { ...pair, genuine, envelopeOf, incidents };
}

type Stage = Awaited<ReturnType<typeof stage>>;
const FORGED: Readonly<Record<string, (stage: Stage) => Partial<Frame>>> = {
  'an envelope that somebody changed on the way': ({ envelopeOf }) => ({
    envelope: envelopeOf({ seq: 2, eventId: 'evt_forged' }),
  }),
  'a seal that somebody made up': ({ envelopeOf }) => ({
    envelope: envelopeOf({ seq: 2, eventId: 'evt_forged' }),
    seal: 'AAAA',
  }),
  'the seal of an earlier frame': ({ genuine }) => ({ seal: genuine.seal }),
};

for (const [what, forge] of Object.entries(FORGED)) {
  test(`in the outbox of a node, ${what} is refused with an incident, and the next genuine event arrives`, async () => {
    const at = await stage();
    const { a, store, genuine, pass, received, incidents } = at;
    store.append([{ ...genuine, seq: 2, prev: 1, ...forge(at) }], true);
    await pass(3_000);
    assert.equal(received(), 1, 'only the genuine one');
    assert.deepEqual(incidents(), ['refused_frame:a']);
    await a.send(['b'], 'genuine too');
    await pass(70_000);
    assert.equal(received(), 2);
  });
}

test('a genuine frame that is played again is injected once', async () => {
  const { store, genuine, pass, received, incidents } = await stage();
  for (let times = 0; times < 5; times++) store.append([genuine], true);
  await pass(5_000);
  assert.deepEqual([received(), incidents()], [1, []]);
});
