import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { noNatsServer } from '../../scripts/nats-server.mjs';
import { scratchFolder } from '../support/data-folder.ts';
import { FederationLab, MACHINES } from '../support/federation/federation-lab.ts';
import { NetworkLab, noNamespaces } from '../support/federation/network-lab.ts';
import { LabTasks } from '../support/remote/lab-tasks.ts';
import { SEED } from '../support/seed.ts';
import { noBubblewrap } from '../support/test-process.ts';

const scratch = scratchFolder('partitions');
const HOLD_MS = Number(process.env['BATON_PARTITION_MS'] ?? 8_000);

interface Shape {
  readonly name: string;
  readonly hold: (network: NetworkLab, lab: FederationLab) => Promise<void>;
}

const SHAPES: readonly Shape[] = [
  { name: 'one node is cut off', hold: (network) => held(() => network.cut('a')) },
  {
    name: 'two of three nodes are cut off',
    hold: (network) => held(() => cutAll(network, ['a', 'b'])),
  },
  { name: 'every node is cut off', hold: (network) => held(() => cutAll(network, MACHINES)) },
  { name: 'a node hears, but is not heard', hold: (network) => held(() => network.mute('b')) },
  { name: 'a node is heard, but hears nothing', hold: (network) => held(() => network.deafen('b')) },
  {
    name: 'one node hears nothing while another is not heard',
    hold: (network) =>
      held(() => {
        network.deafen('a');
        network.mute('c');
      }),
  },
  {
    name: 'a cable goes up and down',
    hold: async (network) => {
      for (let passed = 0; passed < HOLD_MS; passed += 500) {
        network.cut('c');
        await wait(250);
        network.heal('c');
        await wait(250);
      }
    },
  },
  {
    name: 'the cut wanders around the ring',
    hold: async (network) => {
      for (const machine of MACHINES) {
        network.cut(machine);
        await wait(HOLD_MS / MACHINES.length);
        network.heal(machine);
      }
    },
  },
];

function cutAll(network: NetworkLab, machines: readonly string[]): void {
  for (const machine of machines) network.cut(machine);
}

async function held(fault: () => void): Promise<void> {
  fault();
  await wait(HOLD_MS);
}

describe(`three nodes in three network namespaces (seed ${SEED})`, {
  skip: noNamespaces() || noNatsServer() || noBubblewrap,
  concurrency: 1,
}, () => {
  let network: NetworkLab;
  let lab: FederationLab;
  let tasks: LabTasks;
  before(async () => {
    network = new NetworkLab(MACHINES);
    lab = await FederationLab.open({ folder: scratch, seed: SEED, network });
    tasks = new LabTasks(lab, scratch);
  });
  after(() => lab.close());

  for (const { name, hold } of SHAPES) {
    test(`nothing is lost or doubled: ${name}`, async () => {
      const before = lab.sent;
      await tasks.order(HOLD_MS / 2);
      await lab.during(async () => {
        await hold(network, lab);
        for (const machine of MACHINES) network.heal(machine);
        await wait(1_000);
      });
      assert.deepEqual(await lab.settled(), []);
      assert.deepEqual(await tasks.settled(), []);
      assert.ok(lab.sent > before);
      assert.deepEqual(lab.refused, [], 'a message is taken while the server is away');
    });
  }
});
