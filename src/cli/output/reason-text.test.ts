import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonText } from './reason-text.ts';

const REASONS: readonly (readonly [reason: string | null, shown: string | null])[] = [
  [null, null],
  ['', null],
  ['no credentials', 'no credentials'],
  ['stale_heartbeat_reclaim', 'its agent went silent before it reported anything'],
  ['stale_heartbeat_needs_review', 'its agent reported needs review and then went silent'],
  ['session_end_reclaim', 'its agent ended without a report'],
  ['session_end_done', 'its agent reported done'],
  ['machine_restarted_partial', 'its agent reported partial before the machine went down'],
  ['a claim on something', 'a claim on something'],
  ['E_UNKNOWN: test -f a_b: exit 1', 'test -f a_b: exit 1'],
  ['E_TIMEOUT: it took too long', 'E_TIMEOUT: it took too long'],
  ['see \u001b[31mthis', 'see \\u001b[31mthis'],
];

for (const [reason, shown] of REASONS) {
  test(`the reason ${JSON.stringify(reason)} is told as ${JSON.stringify(shown)}`, () => {
    assert.equal(reasonText(reason), shown);
  });
}
