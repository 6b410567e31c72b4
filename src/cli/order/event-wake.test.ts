import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClient } from '../../api/node-client.ts';
import { refuse } from '../../domain/refusal.ts';
import { EventWake } from './event-wake.ts';

/** Longer than a test may take: only an event ends such a pause. */
const FOR_EVER_MS = 600_000;

function clientThat(follow: NodeClient['follow']): NodeClient {
  return { follow } as NodeClient;
}

test('an event ends a pause, also one that arrived before it', async () => {
  const sent = Promise.withResolvers<void>();
  const wake = new EventWake();
  const follow = async function* () {
    yield {};
    await sent.promise;
    yield {};
  } as unknown as NodeClient['follow'];
  await wake.listen(
    clientThat(async (request, signal) => await follow(request, signal)),
    { task: 'TASK-2026-02-09-001' },
  );
  assert.equal(await wake.pause(FOR_EVER_MS), true);
  const paused = wake.pause(FOR_EVER_MS);
  sent.resolve();
  assert.equal(await paused, true);
  wake.close();
});

test('without a stream a pause takes its time, and no fault is thrown', async () => {
  const wake = new EventWake();
  const about = { task: 'TASK-2026-02-09-001' };
  await wake.listen(
    clientThat(async () => refuse('rate_limited', 'too many readers')),
    about,
  );
  await wake.listen(
    clientThat(async () => {
      throw new Error('no node');
    }),
    about,
  );
  const broken = async function* () {
    yield* [];
    throw new Error('the stream broke');
  } as unknown as NodeClient['follow'];
  await wake.listen(
    clientThat(async (request, signal) => await broken(request, signal)),
    about,
  );
  assert.equal(await wake.pause(1), false);
});
