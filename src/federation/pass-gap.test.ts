import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLedger } from '../../test/support/test-ledger.ts';
import type { GapPolicy } from '../domain/federation/advance-cursor.ts';
import { isRefusal } from '../domain/refusal.ts';
import { selectCursor, selectTombstones } from '../ledger/statements/federation/inbox.ts';
import { selectOpenIncidents } from '../ledger/statements/incidents.ts';
import { decideGap } from './pass-gap.ts';

const GAP = { source: 'left', epoch: 'e1', missing: { first: 5, last: 7 } };

/** The effects of a gap that was waited for: the verdict, the open incidents, the place of the reader and what counts as lost. */
async function passed(policy: GapPolicy, waitedMs: number) {
  const { ledger } = openTestLedger();
  const answer = await ledger.submit(decideGap, { ...GAP, waitedMs, rule: { policy, timeoutMs: 30_000 } });
  assert.ok(!isRefusal(answer));
  const incidents = selectOpenIncidents(ledger.read, 10).map(({ kind }) => kind);
  const place = selectCursor(ledger.read, 'left')?.lastSeq ?? 0;
  return [answer.verdict, incidents, place, selectTombstones(ledger.read, 'left', 'e1').length];
}

test('a gap is passed after its time with an incident that names it, and recorded as lost or skipped', async () => {
  assert.deepEqual(await passed('tombstone', 29_999), ['wait', [], 0, 0]);
  assert.deepEqual(await passed('tombstone', 30_000), ['pass', ['gap'], 7, 1]);
  assert.deepEqual(await passed('skip', 30_000), ['pass', ['gap'], 7, 0]);
  assert.deepEqual(await passed('halt', 30_000), ['halt', ['gap_halted:left'], 0, 0]);
});
