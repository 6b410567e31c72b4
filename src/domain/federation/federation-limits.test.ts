import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCEPTED_ACK_TIMEOUT_SECONDS,
  CURSOR_LEASE_SECONDS,
  GAP_TIMEOUT_SECONDS,
  PROCESSED_SLA_GRACE_SECONDS,
} from './federation-limits.ts';

test('the default timings are those of the document', () => {
  assert.deepEqual(
    [GAP_TIMEOUT_SECONDS, CURSOR_LEASE_SECONDS, ACCEPTED_ACK_TIMEOUT_SECONDS, PROCESSED_SLA_GRACE_SECONDS],
    [30, 300, 20, 120],
  );
});
