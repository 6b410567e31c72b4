import { test } from 'node:test';
import { assertRoundTrips } from '../support/remote/round-trips.ts';

const ROUND_TRIPS = 200;

test('much random work travels there and back byte for byte', async () => {
  await assertRoundTrips(ROUND_TRIPS);
});
