import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { noNatsServer } from '../../scripts/nats-server.mjs';
import { scratchFolder } from '../support/data-folder.ts';
import { FederationLab } from '../support/federation/federation-lab.ts';
import { randomOf, SEED } from '../support/seed.ts';

const scratch = scratchFolder('broker-kills');
const KILLS = 100;
const LIFE_MS_MAX = 600;

describe(`the server of three nodes (seed ${SEED})`, { skip: noNatsServer(), concurrency: 1 }, () => {
  const random = randomOf(SEED, 1);
  let lab: FederationLab;
  before(async () => {
    lab = await FederationLab.open({ folder: join(scratch, 'nodes'), seed: SEED });
  });
  after(() => lab.close());

  test(`it is killed ${KILLS} times`, async () => {
    await lab.during(async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        await wait(50 + random(LIFE_MS_MAX));
        await lab.broker.kill();
        await lab.broker.up();
      }
    });
    assert.deepEqual(await lab.settled(), []);
  });

  test('it is stopped for a while, five times', async () => {
    await lab.during(async () => {
      for (let stop = 0; stop < 5; stop++) {
        lab.broker.signal('SIGSTOP');
        await wait(3_000);
        lab.broker.signal('SIGCONT');
        await wait(500);
      }
    });
    assert.deepEqual(await lab.settled(), []);
  });
});
