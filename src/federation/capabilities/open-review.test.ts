import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLedger } from '../../../test/support/test-ledger.ts';
import type { UsedCapability } from '../../domain/federation/capability-review.ts';
import { ROUTE_FAILURES_MS } from '../../domain/federation/federation-limits.ts';
import { selectOpenReviews } from '../../ledger/statements/federation/capability-reviews.ts';
import { recordRouteFailure } from './open-review.ts';

const SENDER = { nodeId: 'left', routingPolicyVersion: 'r1', capabilityPolicyVersion: 'c1' };

test('the third route to a capability that fails within ten minutes opens a review, and further ones are its samples', async () => {
  const { ledger, clock } = openTestLedger();
  const capability: UsedCapability = {
    ...{ capabilityId: 'cap.a', delegationSkillVersion: '1.0.0', executorSkillVersion: '1.0.0', ownerNodeId: 'right' },
  };
  const fail = async () => {
    await ledger.submit(recordRouteFailure, { sender: SENDER, code: 'no_route', capabilities: [capability] });
    const reviews = selectOpenReviews(ledger.read, 10).map(({ record }) => record);
    return reviews.map(({ failureClass, sampleCorrIds }) => [failureClass, sampleCorrIds.length]);
  };
  assert.deepEqual(await fail(), []);
  assert.deepEqual(await fail(), []);
  clock.step(ROUTE_FAILURES_MS + 1);
  assert.deepEqual(await fail(), [], 'the first two are too long ago');
  assert.deepEqual(await fail(), []);
  assert.deepEqual(await fail(), [['route_failure', 3]]);
  assert.deepEqual(await fail(), [['route_failure', 4]]);
  const [review] = selectOpenReviews(ledger.read, 10);
  assert.deepEqual(Object.keys(review?.record ?? {}), [
    ...['reviewId', 'capabilityId', 'delegationSkillVersion', 'executorSkillVersion', 'failureClass'],
    ...['sampleCorrIds', 'createdAt'],
  ]);
});
