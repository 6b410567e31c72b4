import { Federation, type FederationParts } from '../../../src/federation/federation.ts';
import { MemoryStore } from '../../../src/federation/memory/memory-store.ts';
import { MemoryTransport } from '../../../src/federation/memory/memory-transport.ts';
import { appendEvent } from '../../../src/federation/outbox.ts';
import type { Command } from '../../../src/ledger/commit-queue.ts';
import { injectEvent } from '../../../src/messages/inject.ts';
import { silentLogger } from '../../../src/platform/logger.ts';
import { openNodeKey } from '../../../src/platform/node-key.ts';
import { TaskServer } from '../../../src/remote/receiver/task-server.ts';
import { scratchFolder } from '../data-folder.ts';
import { openMemoryLedger } from '../ledger/memory-ledger.ts';
import { quiet, simIds } from './sim-federation.ts';
import { SimTime } from './sim-time.ts';

/** Whole nodes with their own keys, on one store in memory and in virtual time. */
export class MemoryFederation {
  readonly time = new SimTime();
  readonly store = new MemoryStore(() => this.time.nowMs);

  /** A node with one agent, that has joined. */
  async join(nodeId: string, more: Partial<FederationParts> = {}): Promise<Federation> {
    const federation = await this.#start(nodeId, more);
    await federation.joined();
    return federation;
  }

  /** Another process of a node that has stopped. It need not reach the store. */
  async restart(nodeId: string, { parts: { ledger, key } }: Federation): Promise<Federation> {
    return await this.#start(nodeId, { ledger, key });
  }

  async #start(nodeId: string, more: Partial<FederationParts>): Promise<Federation> {
    const clock = this.time.clock(() => 0);
    const ids = simIds(nodeId);
    const agent = { name: `${nodeId}-agent`, role: 'developer', provider: 'OTHER', model: 'sim', load: 0, slots: 2 };
    const federation = new Federation({
      nodeId,
      federation: 'sim',
      transport: new MemoryTransport(this.store, nodeId),
      ledger: openMemoryLedger(clock, ids),
      key: openNodeKey(scratchFolder(`memory-${nodeId}`)),
      clock,
      timer: this.time.timer,
      ids,
      log: silentLogger,
      version: 'sim',
      gapPolicy: 'tombstone',
      isTrustNeeded: false,
      inject: injectEvent,
      agents: () => [agent],
      isLocal: (name) => name === agent.name,
      skills: () => [],
      skillsFolder: '/nowhere',
      roomMax: 8,
      tasksOf: (node) => new TaskServer(node, { work: null, content: null }),
      onNews: () => {},
      ...more,
    });
    await federation.start();
    return federation;
  }

  /** A message between nodes; resolves when the ledger of its sender has it. */
  async send(from: Federation, to: string, body: string): Promise<void> {
    const routes = to === 'all' ? await from.directory.activeAgents() : [await from.directory.routeTo(to)];
    const draft = {
      kind: 'message',
      fromAgent: from.sender.nodeId,
      to: routes.filter((route) => route !== null),
      payload: { toAgents: [to], body },
    } as const;
    const command: Command<object, { eventId: string }> = (tx) => appendEvent(tx, from.sender, draft);
    await from.parts.ledger.submit(command, {});
    await quiet(this.store);
  }

  async stop(node: Federation, how?: { readonly isLeaving: boolean }): Promise<void> {
    await node.stop(how);
  }

  /** Lets virtual time pass, a second at a time. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      this.time.pass(Math.min(1_000, left));
      await quiet(this.store);
    }
  }
}
