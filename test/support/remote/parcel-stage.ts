import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { CallOptions } from '../../../src/api/task/task-view.ts';
import { loadStateFolder } from '../../../src/config/load.ts';
import type { UnpackedParcel } from '../../../src/domain/order/order.ts';
import type { Refusal } from '../../../src/domain/refusal.ts';
import type { TaskName } from '../../../src/domain/task/task.ts';
import { selectPoints } from '../../../src/ledger/statements/points.ts';
import { holdFolder } from '../../../src/node/folder/folder-holder.ts';
import { type RunningNode, startNode } from '../../../src/node.ts';
import { settleOrder } from '../../../src/operations/order/settle-order.ts';
import { KnownFolders } from '../../../src/platform/files/trusted-paths.ts';
import { openNodeKey } from '../../../src/platform/node-key.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import type { Blobs, Parcel } from '../../../src/remote/parcel/parcel.ts';
import type { ImportedResult, Parcels } from '../../../src/remote/parcels.ts';
import { programOf } from '../fixture-agents.ts';
import { type TaskChanges, taskFor } from '../run-stage.ts';
import { taken } from '../taken.ts';
import { MemoryBlobs } from './memory-blobs.ts';

const scratch = mkdtempSync(join(tmpdir(), 'baton travel '));
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10 }));
let made = 0;

const AGENTS = ['runs-a-script', 'works-in-turns', 'tells-secrets', 'crashes', 'fails-twice'];

/** A node in this process, with some of the fixture agents. */
export class ParcelNode {
  readonly name: string;
  readonly dataFolder: string;
  readonly node: RunningNode;
  readonly parcels: Parcels;

  private constructor(name: string, dataFolder: string, node: RunningNode, travel: Parcels) {
    this.name = name;
    this.dataFolder = dataFolder;
    this.node = node;
    this.parcels = travel;
  }

  /** `isSender`: it starts no agent itself. */
  static async open(
    name: string,
    { isSender = false, dataFolder = join(scratch, `${++made}`) }: { isSender?: boolean; dataFolder?: string } = {},
  ): Promise<ParcelNode> {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const agents = AGENTS.map((agent) => [
      agent,
      {
        driver: 'process',
        command: [process.execPath, programOf(agent)],
        provider: 'OTHER',
        model: agent,
      },
    ]);
    writeFileSync(join(dataFolder, 'config.yaml'), JSON.stringify({ agents: Object.fromEntries(agents) }));
    new KnownFolders(loadStateFolder()).trust(dataFolder);
    const lock = await holdFolder(dataFolder, systemTimer());
    const node = await startNode({ dataFolder, isBrief: isSender }, lock);
    if (!isSender) node.dispatcher.start();
    const opened = new ParcelNode(name, dataFolder, node, await node.federation.parcels());
    after(() => opened.close());
    return opened;
  }

  #isClosed = false;
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.node.dispatcher.stop();
    await this.node.client.close();
  }

  get publicKey(): string {
    return Buffer.from(openNodeKey(this.dataFolder).publicKey).toString('base64url');
  }

  /** Gives an order; the name of its task. */
  async order(task: object, parcel?: UnpackedParcel): Promise<TaskName> {
    const { root = join(this.dataFolder, '..') } = parcel ?? {};
    const request = { text: JSON.stringify(task), workspace: root };
    const answer = taken(await this.node.client.submitOrder(request, { ...(parcel && { parcel }) } as CallOptions));
    return answer.task.id as TaskName;
  }

  async reported(task: TaskName) {
    for (;;) {
      const report = taken(await this.node.client.orderReport({ task }));
      if (report.isOver) return report;
      await setTimeout(20);
    }
  }
}

export interface Journey {
  readonly task: TaskName;
  readonly sent: Parcel;
  /** The task of the other node. */
  readonly there: TaskName;
  readonly workspace: string;
  readonly result: Parcel;
}

/** A task for another node, and its way there and back. */
export class ParcelStage<Shared extends Blobs = Blobs> {
  readonly sender: ParcelNode;
  readonly receiver: ParcelNode;
  readonly blobs: Shared;
  #events = 0;

  constructor(sender: ParcelNode, receiver: ParcelNode, blobs: Shared) {
    this.sender = sender;
    this.receiver = receiver;
    this.blobs = blobs;
  }

  static async open(): Promise<ParcelStage<MemoryBlobs>> {
    return await ParcelStage.over(new MemoryBlobs());
  }

  static async over<Shared extends Blobs>(blobs: Shared): Promise<ParcelStage<Shared>> {
    const sender = await ParcelNode.open('laptop', { isSender: true });
    return new ParcelStage(sender, await ParcelNode.open('tower'), blobs);
  }

  /** The same TASK on both sides, but for its workspace. */
  async there(root: string, agent: string, changes: TaskChanges = {}): Promise<Journey> {
    const { sender, receiver, blobs } = this;
    const message = taskFor(agent, root, changes);
    const task = await sender.order(message);
    const sent = taken(await sender.parcels.packWork({ task, haves: [], blobs }));
    const request = {
      parcel: JSON.parse(JSON.stringify(sent)),
      from: sender.name,
      name: `evt-${++this.#events}`,
      blobs,
    };
    const { workspace, parcel } = taken(await receiver.parcels.unpackWork(request));
    const environment = { ...message.task.environment, workspace_root: workspace };
    const there = await receiver.order({ ...message, task: { ...message.task, environment } }, parcel);
    const seen = agent === 'works-in-turns' ? this.#showStates(there, parcel.root) : null;
    await receiver.reported(there);
    await seen;
    const result = taken(await receiver.parcels.packResult({ task: there, blobs }));
    return { task, sent, there, workspace, result };
  }

  /** Tells an agent that works in turns when the files of a turn are recorded. */
  async #showStates(task: TaskName, root: string): Promise<void> {
    const { client, ledger } = this.receiver.node;
    mkdirSync(join(root, '.git', 'seen'), { recursive: true });
    for (let isOver = false; !isOver; isOver = taken(await client.orderReport({ task })).isOver) {
      for (const { kind, turnIndex } of selectPoints(ledger.read, task)) {
        if (kind === 'turn') writeFileSync(join(root, '.git', 'seen', `${turnIndex}`), '');
      }
      await setTimeout(20);
    }
  }

  import(
    { task, sent, result }: Pick<Journey, 'task' | 'sent' | 'result'>,
    more: object = {},
  ): Promise<ImportedResult | Refusal> {
    const { name: node, publicKey } = this.receiver;
    const request = {
      task,
      node,
      publicKey,
      agent: 'emma@tower',
      sent,
      result: JSON.parse(JSON.stringify(result)),
      blobs: this.blobs,
    };
    return this.sender.parcels.importResult({ ...request, ...more });
  }

  /** Imports a result, and settles and reports the task by it. */
  async back(journey: Journey): Promise<ImportedResult> {
    const imported = taken(await this.import(journey));
    const { ledger, dispatcher } = this.sender.node;
    taken(await ledger.submit(settleOrder, { taskId: journey.task, outcome: imported.outcome }));
    await dispatcher.reportSettled();
    return imported;
  }
}
