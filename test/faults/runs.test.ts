import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../src/domain/execution/fact.ts';
import { killRuns } from '../support/run/kill-runs.ts';
import { RunStage } from '../support/run-stage.ts';
import { randomOf, SEED } from '../support/seed.ts';
import { noBubblewrap } from '../support/test-process.ts';

/** Every fact that an order writes once it is admitted, and how often four orders come to it. */
const TIMES: Readonly<Partial<Record<Fact['kind'], number>>> = {
  snapshotted: 4,
  leased: 4,
  launched: 4,
  ended: 4,
  collected: 4,
  verified: 2,
  requeued: 3,
  'rolled-back': 1,
  reported: 4,
};
const RANDOM_KILLS = 40;
/** Four orders take about so long. */
const LIFE_MS_MAX = 2_500;

for (const [kind, times] of Object.entries(TIMES)) {
  for (const place of ['found', 'kept']) {
    test(`killed where ${kind} is ${place}, ${times} times: each order ends as it should, once`, {
      skip: noBubblewrap,
    }, async () => {
      for (let count = 1; count <= times; count++) {
        const at = `${place}.${kind}:${count}`;
        const { isKilled } = await killRuns(await RunStage.alone('run-points'), { at });
        assert.ok(isKilled, `${at}: it never got there`);
      }
    });
  }
}

test(`${RANDOM_KILLS} kills at any time (seed ${SEED}): each order ends as it should, once`, {
  skip: noBubblewrap,
}, async (context) => {
  const random = randomOf(SEED, 0);
  const seen = new Map<string, number>();
  for (let kill = 0; kill < RANDOM_KILLS; kill++) {
    const afterMs = random(LIFE_MS_MAX);
    const { lastFacts } = await killRuns(await RunStage.alone('run-random'), { afterMs });
    for (const kind of lastFacts) seen.set(kind, (seen.get(kind) ?? 0) + 1);
  }
  context.diagnostic(`killed after ${[...seen].map(([kind, times]) => `${kind} ${times}`).join(', ')}`);
});
