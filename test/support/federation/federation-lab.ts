import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { NodeStatusAnswer } from '../../../src/api/federation/federation-contract.ts';
import { DataFolder } from '../data-folder.ts';
import { BATON, type BatonRun, linesOf, runBaton } from '../run-baton.ts';
import { pick, type Random, randomOf } from '../seed.ts';
import { findUndelivered, type SentMail } from './find-undelivered.ts';
import type { NetworkLab } from './network-lab.ts';
import { TestBroker } from './test-broker.ts';

export const MACHINES = ['a', 'b', 'c'] as const;
export type Machine = (typeof MACHINES)[number];

/** Longer than a node needs to notice that its server is back, to read what it missed and to send again what nobody accepted. */
const SETTLE_MS_MAX = 120_000;

interface LabParts {
  readonly folder: string;
  readonly seed: number;
  /** Absent for nodes that share the loopback of this machine. */
  readonly network?: NetworkLab;
}

/** Three real nodes and a real nats-server, with a list of every message that a node has acknowledged. */
export class FederationLab {
  readonly broker: TestBroker;
  readonly #parts: LabParts;
  readonly #random: Random;
  /** Answers to sends that were not acknowledged. */
  readonly refused: string[] = [];
  readonly #sent: SentMail[] = [];
  #asked = 0;

  private constructor(parts: LabParts, broker: TestBroker) {
    this.#parts = parts;
    this.broker = broker;
    this.#random = randomOf(parts.seed, 0);
  }

  static async open(parts: LabParts): Promise<FederationLab> {
    const { network } = parts;
    const broker = await TestBroker.start(network && { host: '0.0.0.0', on: network.onServer });
    const lab = new FederationLab(parts, broker);
    for (const machine of MACHINES) await lab.#join(machine);
    await lab.#met();
    return lab;
  }

  folderOf(machine: Machine): string {
    return join(this.#parts.folder, machine);
  }

  get sent(): number {
    return this.#sent.length;
  }

  /** A command on a machine; its answer is JSON. */
  async run(machine: Machine, args: readonly string[]): Promise<BatonRun> {
    const [program = BATON, ...before] = [...(this.#parts.network?.on(machine) ?? []), BATON];
    return await runBaton([...before, ...args, '--data', this.folderOf(machine), '--json'], { program });
  }

  async #join(machine: Machine): Promise<void> {
    const host = this.#parts.network?.serverOf(machine) ?? '127.0.0.1';
    await new DataFolder(this.folderOf(machine)).json('init');
    writeFileSync(
      join(this.folderOf(machine), 'config.yaml'),
      JSON.stringify({ agents: { [`on-${machine}`]: { driver: 'demo' } } }),
    );
    const joined = await this.run(machine, ['node', 'join', `nats://${host}:${this.broker.port}`, '--node', machine]);
    if (joined.status !== 0) throw new Error(`${machine} did not join: ${joined.stdout}${joined.stderr}`);
    await this.up(machine);
  }

  async up(machine: Machine): Promise<void> {
    for (let tries = 0; ; tries++) {
      const up = await this.run(machine, ['up', '-d']);
      if (up.status === 0) return;
      // A command that is under way has the folder until it has ended.
      if (tries > 20 || !up.stdout.includes('folder_in_use'))
        throw new Error(`${machine} is not up: ${up.stdout}${up.stderr}`);
      await wait(250);
    }
  }

  kill(machine: Machine): void {
    const { pid } = new DataFolder(this.folderOf(machine)).readJson<{ pid: number }>('node.json');
    process.kill(pid, 'SIGKILL');
  }

  async status(machine: Machine): Promise<NodeStatusAnswer> {
    return linesOf<NodeStatusAnswer>(await this.run(machine, ['node', 'status']))[0] as NodeStatusAnswer;
  }

  /** Each node has written to the others: from then on it can send to them, whatever happens to the network. */
  async #met(): Promise<void> {
    for (const machine of MACHINES) {
      for (let tries = 0; (await this.status(machine)).peers.length < MACHINES.length - 1; tries++) {
        if (tries > 100) throw new Error(`${machine} does not see the others`);
        await wait(100);
      }
      for (const other of MACHINES.filter((each) => each !== machine)) await this.#sendTo(machine, other);
    }
  }

  /** Sends from every node, one message after the other, for as long as the fault lasts. */
  async during(fault: () => Promise<void>): Promise<void> {
    let isOver = false;
    const senders = MACHINES.map(async (machine) => {
      while (!isOver) await this.#send(machine);
    });
    try {
      await fault();
    } finally {
      isOver = true;
      await Promise.all(senders);
    }
  }

  async #send(from: Machine): Promise<void> {
    const others = MACHINES.filter((machine) => machine !== from);
    await this.#sendTo(from, pick(others, this.#random));
  }

  async #sendTo(from: Machine, to: Machine): Promise<void> {
    const body = `message ${++this.#asked} of ${from}`;
    const run = await this.run(from, ['message', 'send', to, body]);
    if (run.status === 0) this.#sent.push({ from, to, body });
    else this.refused.push(`${from}: ${run.stdout}`);
  }

  /** Waits until every acknowledged message has arrived exactly once and was accepted. The findings that remain; empty is good. */
  async settled(): Promise<readonly string[]> {
    const deadlineMs = performance.now() + SETTLE_MS_MAX;
    for (;;) {
      const found = findUndelivered((machine) => this.folderOf(machine as Machine), this.#sent);
      if (found.length === 0 || performance.now() > deadlineMs) return found;
      await wait(250);
    }
  }

  async close(): Promise<void> {
    for (const machine of MACHINES) await this.run(machine, ['down']);
    await this.broker.kill();
    this.#parts.network?.close();
  }
}
