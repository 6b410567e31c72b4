import { test } from 'node:test';
import { moveInOneBurst } from '../../support/tree/move-in-one-burst.ts';

test('3,000 files moved at once are as many transitions, and nobody else waits long', async () => {
  await moveInOneBurst(3_000);
});
