import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf, SEED } from '../support/seed.ts';
import { killRerun, killSession, killStop } from '../support/session/kill-sessions.ts';
import { noBubblewrap } from '../support/test-process.ts';

/** Facts of a session and of its orders, and how often they come. */
const TIMES: Readonly<Record<string, number>> = {
  'session.submitted': 1,
  'session.reported': 1,
  snapshotted: 4,
  leased: 4,
  launched: 4,
  ended: 4,
  collected: 4,
  verified: 3,
  reported: 6,
};
const RANDOM_KILLS = 30;
/** A session of six takes about so long. */
const LIFE_MS_MAX = 4_000;

for (const [fact, times] of Object.entries(TIMES)) {
  for (const place of ['found', 'kept']) {
    const name = fact.startsWith('session.') ? `${fact}.${place}` : `${place}.${fact}`;
    test(`killed at ${name}, ${times} times: the session ends as it should, once`, { skip: noBubblewrap }, async () => {
      for (let count = 1; count <= times; count++) {
        const { isKilled } = await killSession('session-points', { at: `${name}:${count}` });
        assert.ok(isKilled, `${name}:${count}: it never got there`);
      }
    });
  }
}

/** Facts of a rerun of the three tasks that were not completed: one fails again, so the two others are skipped. Admission is in the commit of `reopened`. */
const RERUN = ['session.reopened', 'session.reported'];
const RERUN_STEPS = ['snapshotted', 'leased', 'launched', 'ended', 'collected', 'reported'];

for (const verb of ['continue', 'retry'] as const) {
  for (const place of ['found', 'kept']) {
    test(`session ${verb}, killed at every fact (${place}): it ends as before, and nothing completed runs again`, {
      skip: noBubblewrap,
    }, async () => {
      const points = [...RERUN.map((fact) => `${fact}.${place}`), ...RERUN_STEPS.map((fact) => `${place}.${fact}`)];
      for (const point of points) {
        const { isKilled } = await killRerun(verb, `${point}:1`);
        assert.ok(isKilled, `${point}: it never got there`);
      }
    });
  }
}

for (const at of ['session.stopped.found:1', 'session.stopped.kept:1', 'found.ended:1', 'session.reported.found:1']) {
  test(`session stop, killed at ${at}: it ends as stopped`, { skip: noBubblewrap }, async () => {
    const { isKilled } = await killStop(at);
    assert.ok(isKilled, 'it never got there');
  });
}

test(`${RANDOM_KILLS} kills at any time (seed ${SEED}): the session ends as it should, once`, {
  skip: noBubblewrap,
}, async () => {
  const random = randomOf(SEED, 0);
  for (let kill = 0; kill < RANDOM_KILLS; kill++) await killSession('session-random', { afterMs: random(LIFE_MS_MAX) });
});
