import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalTransport } from '../../../src/federation/local/local-transport.ts';
import { type NodeRecord, nodeKeysOf } from '../../../src/federation/nodes/node-record.ts';
import { KEYS } from '../../../src/federation/records.ts';
import type { Frame } from '../../../src/federation/transport.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemFolderWatch } from '../../../src/platform/files/folder-watch.ts';
import { randomIds } from '../../../src/platform/ids.ts';
import { openNodeKey } from '../../../src/platform/node-key.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { DataFolder, scratchFolder } from '../data-folder.ts';
import { TestDaemon } from '../test-daemon.ts';

const AGENT = { driver: 'process', command: ['true'], provider: 'OTHER', model: 'small-1' };

/** A folder that nodes of this machine share, as one who can write to it reaches it. */
export class SharedNodes {
  readonly folder: string;
  readonly #transport: LocalTransport;

  constructor(name: string) {
    this.folder = join(scratchFolder(name), 'shared');
    const parts = { clock: systemClock(), timer: systemTimer(), ids: randomIds(), watch: systemFolderWatch };
    this.#transport = new LocalTransport({ ...parts, folder: this.folder, node: 'nobody' });
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** A real node with one agent, that stays on and has not joined yet. */
  async start(node: string, agent: string): Promise<TestDaemon> {
    const data = new DataFolder(join(scratchFolder(`node-${node}`), 'data'));
    await data.json('init');
    writeFileSync(join(data.path, 'config.yaml'), JSON.stringify({ agents: { [agent]: AGENT } }));
    return await TestDaemon.start(data.path);
  }

  /** The record of a node that is nowhere else, with keys of its own; `facts` may be anything. */
  async present(nodeId: string, facts: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const record: NodeRecord = {
      nodeId,
      status: 'active',
      instance: 'i',
      keys: nodeKeysOf(nodeId, openNodeKey(scratchFolder(`key-${nodeId}`))),
      epoch: 'e1',
      seq: 12,
      heartbeatAt: new Date(Date.now() - 240_000).toISOString(),
      startedAt: '2026-02-25T16:00:00Z',
      version: '0.1.0',
      room: 8,
      agents: [{ name: `${nodeId}-dev`, role: 'developer', provider: 'OTHER', model: 'small-1', load: 1, slots: 2 }],
      skills: [],
    };
    await this.write(KEYS.node(nodeId), { ...record, ...facts });
  }

  /** Replaces a record of the control plane. */
  async write(key: string, value: object): Promise<void> {
    const entry = await this.#transport.get(key);
    await this.#transport.put(key, JSON.stringify(value), entry?.revision ?? 0);
  }

  /** Puts a frame with a seal that its source did not make into an outbox. */
  async forgeFrame(source: string, dest: string, place: Pick<Frame, 'epoch' | 'seq' | 'prev'>): Promise<void> {
    const frame = { source, dest, ...place, fences: '', recordedAt: 0, seal: 'AAAA', envelope: '{}' };
    await this.#transport.append([frame], { isAgain: true });
  }
}
