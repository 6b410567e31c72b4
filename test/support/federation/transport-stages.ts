import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noNatsServer } from '../../../scripts/nats-server.mjs';
import { LocalTransport } from '../../../src/federation/local/local-transport.ts';
import { MemoryStore } from '../../../src/federation/memory/memory-store.ts';
import { MemoryTransport } from '../../../src/federation/memory/memory-transport.ts';
import { natsNames } from '../../../src/federation/nats/frame-message.ts';
import { NatsTransport } from '../../../src/federation/nats/nats-transport.ts';
import type { Transport } from '../../../src/federation/transport.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemFolderWatch } from '../../../src/platform/files/folder-watch.ts';
import { randomIds } from '../../../src/platform/ids.ts';
import { silentLogger } from '../../../src/platform/logger.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { NatsUsers } from './nats-users.ts';
import { TestBroker } from './test-broker.ts';

/** One shared store, and the ways of nodes to it. */
export interface TransportStage {
  transport(node: string): Promise<Transport>;
  /** The store loses everything. */
  wipe(): Promise<void>;
  /** The store goes back to its state at the time of this call, when the returned function is called. */
  remember(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface StageMaker {
  readonly name: Transport['name'];
  readonly skip: string | false;
  make(): Promise<TransportStage>;
}

export async function connected(transport: Transport): Promise<Transport> {
  await new Promise<void>((resolve) => transport.onConnected(resolve));
  return transport;
}

function memoryStage(): TransportStage {
  const store = new MemoryStore(() => performance.now());
  return {
    transport: async (node) => new MemoryTransport(store, node),
    wipe: async () => store.wipe(),
    remember: async () => {
      const copy = store.copy();
      return async () => store.restore(copy);
    },
    close: async () => {},
  };
}

function localStage(): TransportStage {
  const folder = mkdtempSync(join(tmpdir(), 'baton-local-'));
  const shared = join(folder, 'shared');
  const parts = { clock: systemClock(), timer: systemTimer(), ids: randomIds(), watch: systemFolderWatch };
  let moved = 0;
  const { cpSync, renameSync } = process.getBuiltinModule('node:fs');
  return {
    transport: async (node) => new LocalTransport({ ...parts, folder: shared, node }),
    wipe: async () => renameSync(shared, join(folder, `gone-${++moved}`)),
    remember: async () => {
      const copy = join(folder, `copy-${++moved}`);
      cpSync(shared, copy, { recursive: true });
      return async () => {
        renameSync(shared, join(folder, `gone-${++moved}`));
        renameSync(copy, shared);
      };
    },
    close: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** The nodes of the suite: each has a user with the permissions of a node, and no other. */
const NATS_NODES = [
  'lonely',
  ...Array.from({ length: 40 }, (_, at) => [`from-${at}`, `to-${at}`, `late-from-${at}`]).flat(),
  ...Array.from({ length: 40 * 4 }, (_, at) => `writer-from-${Math.floor(at / 4)}-${at % 4}`),
];

async function natsStage(): Promise<TransportStage> {
  const names = natsNames('test');
  const users = new NatsUsers(names, NATS_NODES);
  const broker = await TestBroker.start({ settings: users.config });
  const parts = { clock: systemClock(), timer: systemTimer(), log: silentLogger };
  const settings = { url: broker.url, tls: null, names, replicas: 1 };
  const make = (node: string) => new NatsTransport({ ...parts, ...settings, node, creds: users.credsOf(node) });
  return {
    transport: (node) => connected(make(node)),
    wipe: async () => {
      await broker.kill();
      broker.wipe();
      await broker.up();
    },
    remember: async () => {
      await broker.kill('SIGTERM');
      const copy = broker.copyStore();
      await broker.up();
      return async () => {
        await broker.kill();
        broker.putBack(copy);
        await broker.up();
      };
    },
    close: () => broker.kill(),
  };
}

export const TRANSPORT_STAGES: readonly StageMaker[] = [
  { name: 'memory', skip: false, make: async () => memoryStage() },
  { name: 'local', skip: false, make: async () => localStage() },
  { name: 'nats', skip: noNatsServer(), make: natsStage },
];
