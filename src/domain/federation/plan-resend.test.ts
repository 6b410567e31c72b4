import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planResend, resendAfterMs } from './plan-resend.ts';

test('an event is sent again up to the fifteenth attempt', () => {
  const sent = (attempt: number, expiresAt: number | null = null) =>
    planResend({ eventId: 'e', attempt, expiresAt }, 1_000);
  assert.deepEqual(sent(1), { kind: 'resend' });
  assert.deepEqual(sent(14), { kind: 'resend' });
  assert.deepEqual(sent(15), { kind: 'give-up', reason: 'unacknowledged' });
  assert.deepEqual(sent(2, 1_000), { kind: 'give-up', reason: 'expired' });
  assert.deepEqual(sent(2, 1_001), { kind: 'resend' });
});

test('the first acknowledgement has 20 s; later pauses double from 2 s up to 5 min, each spread by a fifth', () => {
  const pauses = Array.from(
    { length: 15 },
    (_, at) => resendAfterMs({ eventId: `evt_${at}`, attempt: at + 1 }) - 20_000,
  );
  assert.equal(pauses[0], 0);
  for (const [at, pause] of pauses.entries()) {
    if (at === 0) continue;
    const want = Math.min(300_000, 2_000 * 2 ** (at - 1));
    assert.ok(pause >= want * 0.8 && pause <= want * 1.2, `attempt ${at + 1}: ${pause}`);
  }
  const spread = new Set(Array.from({ length: 50 }, (_, at) => resendAfterMs({ eventId: `evt_${at}`, attempt: 9 })));
  assert.ok(spread.size > 40);
});
