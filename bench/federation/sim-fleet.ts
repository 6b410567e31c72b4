import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Federation } from '../../src/federation/federation.ts';
import { MemoryStore } from '../../src/federation/memory/memory-store.ts';
import { MemoryTransport } from '../../src/federation/memory/memory-transport.ts';
import { appendEvent } from '../../src/federation/outbox.ts';
import type { Command } from '../../src/ledger/commit-queue.ts';
import { injectEvent } from '../../src/messages/inject.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type NodeKey, openNodeKey } from '../../src/platform/node-key.ts';
import { TaskServer } from '../../src/remote/receiver/task-server.ts';
import { quiet, simIds } from '../../test/support/federation/sim-federation.ts';
import { SimTime } from '../../test/support/federation/sim-time.ts';
import { copyLedger, type MemoryLedger, openMemoryLedger } from '../../test/support/ledger/memory-ledger.ts';

const HEARTBEAT_MS = 30_000;
const KEYS_MAX = 16;

export interface FleetSize {
  readonly nodes: number;
  /** For each node. */
  readonly agents: number;
  readonly events: number;
}

/** The calls of the store and the processor time for one node or one event. */
export interface FleetCost {
  readonly joinCalls: number;
  readonly joinMs: number;
  readonly beatCalls: number;
  readonly beatMs: number;
  readonly eventCalls: number;
  readonly eventFrames: number;
  readonly eventMicros: number;
}

interface FleetNode {
  readonly name: string;
  readonly federation: Federation;
  readonly ledger: MemoryLedger;
}

const body = 'Build completed. Please validate the release notes.';

/** Real federations with real ledgers in memory, on one store, in virtual time. */
export class SimFleet {
  readonly #time = new SimTime();
  readonly #store = new MemoryStore(() => this.#time.nowMs);
  readonly #nodes: FleetNode[] = [];
  readonly #size: FleetSize;

  constructor(size: FleetSize) {
    this.#size = size;
    const keys = makeKeys(Math.min(KEYS_MAX, size.nodes));
    const empty = copyLedger(openMemoryLedger(this.#clock, simIds('empty')));
    for (let at = 0; at < size.nodes; at++) this.#nodes.push(this.#make(at, keys, empty));
  }

  get #clock() {
    return this.#time.clock(() => 0);
  }

  #make(at: number, keys: readonly NodeKey[], empty: Uint8Array): FleetNode {
    const name = `n${at}`;
    const ids = simIds(name);
    const ledger = openMemoryLedger(this.#clock, ids, empty);
    const agents = Array.from({ length: this.#size.agents }, (_, number) => ({
      ...{ name: `${name}-a${number}`, role: 'developer', provider: 'OTHER', model: 'sim', load: 0, slots: 1 },
    }));
    const federation = new Federation({
      nodeId: name,
      federation: 'sim',
      transport: new MemoryTransport(this.#store, name),
      ledger,
      key: keys[at % keys.length] as NodeKey,
      clock: this.#clock,
      timer: this.#time.timer,
      ids,
      log: silentLogger,
      version: 'sim',
      gapPolicy: 'tombstone',
      isTrustNeeded: false,
      inject: injectEvent,
      agents: () => agents,
      isLocal: (agent) => agents.some((own) => own.name === agent),
      skills: () => [],
      skillsFolder: '/nowhere',
      roomMax: 8,
      tasksOf: (node) => new TaskServer(node, { work: null, content: null }),
      onNews: () => {},
    });
    return { name, federation, ledger };
  }

  async measure(): Promise<FleetCost> {
    const { nodes, events } = this.#size;
    const join = await this.#cost(async () => {
      for (const { federation } of this.#nodes) await federation.start();
      for (const { federation } of this.#nodes) await federation.joined();
    });
    const beat = await this.#cost(async () => {
      this.#time.pass(HEARTBEAT_MS);
      for (const { federation } of this.#nodes) await federation.tick();
    });
    const event = await this.#cost(async () => {
      for (let at = 0; at < events; at++) await this.#send(at);
      await quiet(this.#store);
    });
    this.#assertAccepted(events);
    return {
      joinCalls: join.calls / nodes,
      joinMs: join.ms / nodes,
      beatCalls: beat.calls / nodes,
      beatMs: beat.ms / nodes,
      eventCalls: event.calls / events,
      eventFrames: event.frames / events,
      eventMicros: (event.ms * 1_000) / events,
    };
  }

  async close(): Promise<void> {
    for (const { federation, ledger } of this.#nodes) {
      await federation.plane.stop();
      await federation.parts.transport.close();
      ledger.db.close();
    }
  }

  /** From one agent of the fleet to another, far apart. */
  async #send(at: number): Promise<void> {
    const { nodes, agents } = this.#size;
    const from = this.#nodes[(at * 7919) % nodes] as FleetNode;
    const to = this.#nodes[(at * 104_729 + 1) % nodes] as FleetNode;
    const recipient = await from.federation.directory.routeTo(`${to.name}-a${at % agents}`);
    if (recipient === null) throw new Error(`nobody knows ${to.name}-a${at % agents}`);
    const payload = { toAgents: [recipient.agent], body };
    const draft = { kind: 'message', fromAgent: `${from.name}-a0`, to: [recipient], payload } as const;
    const command: Command<object, object> = (tx) => appendEvent(tx, from.federation.sender, draft);
    await from.ledger.submit(command, {});
  }

  /** Every message was delivered and acknowledged: a fleet that loses some is cheap. */
  #assertAccepted(events: number): void {
    const sql = 'SELECT count(*) AS rows FROM receipts WHERE accepted_at IS NOT NULL';
    const accepted = this.#nodes.reduce((sum, { ledger }) => sum + Number(ledger.db.prepare(sql).get()?.rows), 0);
    if (accepted !== events) throw new Error(`${accepted} of ${events} messages were acknowledged`);
  }

  async #cost(work: () => Promise<void>): Promise<{ calls: number; frames: number; ms: number }> {
    const calls = () => {
      const { frames: _, ...counted } = this.#store.calls;
      return Object.values(counted).reduce((sum, each) => sum + each, 0);
    };
    const [before, framesBefore, cpu] = [calls(), this.#store.calls.frames, process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(cpu);
    return { calls: calls() - before, frames: this.#store.calls.frames - framesBefore, ms: (user + system) / 1_000 };
  }
}

/** A few for all: each node signs its own name with one of them. */
function makeKeys(count: number): readonly NodeKey[] {
  const folder = mkdtempSync(join(tmpdir(), 'baton-sim-'));
  try {
    return Array.from({ length: count }, (_, at) => {
      mkdirSync(join(folder, String(at)));
      return openNodeKey(join(folder, String(at)));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
