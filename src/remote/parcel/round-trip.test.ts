import { test } from 'node:test';
import { assertRoundTrips } from '../../../test/support/remote/round-trips.ts';

const ROUND_TRIPS = 6;

test('random work travels there and back byte for byte, and nothing of the user is touched', async () => {
  await assertRoundTrips(ROUND_TRIPS);
});
