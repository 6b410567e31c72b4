import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { noNatsServer } from '../../scripts/nats-server.mjs';
import { scratchFolder } from '../support/data-folder.ts';
import { FederationLab, MACHINES } from '../support/federation/federation-lab.ts';
import { pick, randomOf, SEED } from '../support/seed.ts';

const scratch = scratchFolder('broker-losses');
const LOSSES = 5;

describe(`the server of three nodes (seed ${SEED})`, { skip: noNatsServer(), concurrency: 1 }, () => {
  const random = randomOf(SEED, 1);
  let lab: FederationLab;
  before(async () => {
    lab = await FederationLab.open({ folder: join(scratch, 'nodes'), seed: SEED });
  });
  after(() => lab.close());

  test(`it loses its whole store ${LOSSES} times`, async () => {
    for (let loss = 0; loss < LOSSES; loss++) {
      await lab.during(async () => {
        await wait(1_000);
        await lab.broker.kill();
        await wait(random(1_500));
        lab.broker.wipe();
        await lab.broker.up();
        await wait(1_000);
      });
      assert.deepEqual(await lab.settled(), [], `loss ${loss}`);
    }
  });

  test(`its store is put back to an earlier copy ${LOSSES} times`, async () => {
    for (let loss = 0; loss < LOSSES; loss++) {
      await lab.broker.kill();
      const copy = lab.broker.copyStore();
      await lab.broker.up();
      await lab.during(async () => {
        await wait(2_000);
        await lab.broker.kill();
        lab.broker.putBack(copy);
        await lab.broker.up();
        await wait(1_000);
      });
      assert.deepEqual(await lab.settled(), [], `roll-back ${loss}`);
    }
  });

  test('a node is killed while the server is away, ten times', async () => {
    for (let kill = 0; kill < 10; kill++) {
      const machine = pick(MACHINES, random);
      await lab.during(async () => {
        await lab.broker.kill();
        await wait(random(1_000));
        lab.kill(machine);
        await lab.broker.up();
        await lab.up(machine);
      });
      assert.deepEqual(await lab.settled(), [], `kill ${kill}, of ${machine}`);
    }
  });
});
