import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLedger } from '../../test/support/test-ledger.ts';
import type { LostNotice, NoticePlace } from '../domain/notice/plan-notices.ts';
import { selectOpenIncidents } from '../ledger/statements/incidents.ts';
import { keepNoticePlace } from './keep-notice-place.ts';

const LOST = [{ notice: { title: 'TASK-1 failed' }, error: 'it answered 404' }] as unknown as readonly LostNotice[];
const NAME = 'webhook hooks.example';

test('two places of one host have an incident each, and a delivery to one closes its own', async () => {
  const { ledger } = openTestLedger();
  const keep = (key: string, lost: readonly LostNotice[], isReached: boolean) =>
    ledger.submit(keepNoticePlace, { key, name: NAME, place: {} as NoticePlace, lost, isReached });
  const open = () => selectOpenIncidents(ledger.read, 10).length;
  await keep('a', LOST, false);
  await keep('b', LOST, false);
  await keep('b', LOST, false);
  assert.equal(open(), 2);
  await keep('c', [], true);
  assert.equal(open(), 2);
  await keep('a', [], true);
  assert.equal(open(), 1);
  await keep('b', [], true);
  assert.equal(open(), 0);
});
