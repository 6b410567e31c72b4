import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { TaskDetail } from '../../../src/api/contract.ts';
import { DataFolder } from '../data-folder.ts';
import { inTime } from '../in-time.ts';
import { type BatonRun, linesOf } from '../run-baton.ts';

/** An event of an outbox, as it stands in the ledger. */
export interface SentEnvelope {
  readonly eventId: string;
  readonly kind: string;
  readonly corrId: string;
  readonly payload: Readonly<Record<string, unknown>> & { readonly taskId?: string };
  readonly trace: { readonly attempt: number };
}

const AGENT = { driver: 'demo' };

/** A node of a federation, with a workspace of its own. */
export class JoinedNode extends DataFolder {
  readonly name: string;
  readonly workspace: string;

  constructor(scratch: string, name: string) {
    super(join(scratch, name));
    this.name = name;
    this.workspace = join(scratch, `${name}-work`);
  }

  async join(place: string, agents: Readonly<Record<string, object>>, federation: object = {}): Promise<void> {
    await this.json('init');
    mkdirSync(this.workspace, { recursive: true });
    const joined = { transport: 'local', folder: place, node: this.name, ...federation };
    writeFileSync(join(this.path, 'config.yaml'), JSON.stringify({ agents, federation: joined }));
  }

  async up(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const run = await this.run(['up', '-d'], { environment });
    assert.equal(run.status, 0, run.stderr);
  }

  /** The process of the node that was started last. */
  get pid(): number {
    return (JSON.parse(readFileSync(join(this.path, 'node.json'), 'utf8')) as { pid: number }).pid;
  }

  kill(): void {
    process.kill(this.pid, 'SIGKILL');
  }

  /** `baton run` with these words and flags, in the workspace of this node. */
  order(words: string, ...flags: string[]): Promise<BatonRun> {
    return this.run(['run', words, '--workspace', this.workspace, ...flags]);
  }

  async task(reference = '@'): Promise<TaskDetail> {
    return await this.json<TaskDetail>('task', 'show', reference);
  }

  async taskIs(status: string, reference = '@'): Promise<TaskDetail> {
    return await eventually(
      () => this.task(reference),
      (task) => task.status === status,
      `${reference} ${status}`,
    );
  }

  /** Reads the ledger beside the node. */
  look<Found>(read: (db: DatabaseSync) => Found): Found {
    const db = new DatabaseSync(join(this.path, 'ledger.sqlite'), { readOnly: true, timeout: 5_000 });
    try {
      return read(db);
    } finally {
      db.close();
    }
  }

  rows<Row>(sql: string): Row[] {
    return this.look((db) => db.prepare(sql).all()) as Row[];
  }

  outbox(kind = '%'): SentEnvelope[] {
    const rows = this.look((db) => db.prepare('SELECT envelope FROM outbox WHERE kind LIKE ? ORDER BY seq').all(kind));
    return rows.map(({ envelope }) => JSON.parse(String(envelope)) as SentEnvelope);
  }

  /** The types of the events of a task, in order. */
  async typesOf(reference: string): Promise<string[]> {
    return linesOf<{ type: string }>(await this.run(['events', '--task', reference, '--json'])).map(({ type }) => type);
  }
}

export interface NodeSpec {
  readonly agents?: Readonly<Record<string, object>>;
  readonly federation?: object;
  readonly place?: string;
}

/** Nodes that share a folder. Made where a suite begins: they are stopped when it ends. */
export class NodeStage {
  readonly folder: string;
  readonly #nodes: JoinedNode[] = [];

  constructor(suite: string) {
    this.folder = mkdtempSync(join(tmpdir(), `baton-${suite}-`));
    after(async () => {
      for (const node of this.#nodes) await node.run(['down']);
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
    });
  }

  /** A node that has joined, not started yet. Those of one `place` share a folder. */
  async node(name: string, { agents = {}, federation = {}, place = 'shared' }: NodeSpec = {}): Promise<JoinedNode> {
    const node = new JoinedNode(this.folder, name);
    await node.join(join(this.folder, place), agents, federation);
    this.#nodes.push(node);
    return node;
  }

  /** Two nodes of a federation of their own, not started yet: one that asks, and one with an agent. */
  async pair(place: string): Promise<{ left: JoinedNode; right: JoinedNode }> {
    const left = await this.node(`${place}-left`, { place });
    const right = await this.node(`${place}-right`, { agents: { critic: AGENT }, place });
    return { left, right };
  }

  /** A node `left` that asks, and a node `right` with an agent `critic`, both on and known to each other. */
  async leftAndRight(federation: object = {}): Promise<{ left: JoinedNode; right: JoinedNode }> {
    const left = await this.node('left', { agents: { emma: AGENT } });
    const right = await this.node('right', { agents: { critic: AGENT }, federation });
    for (const node of [left, right]) await node.up();
    await sees(left, 'right');
    return { left, right };
  }
}

/** Resolves when a node has seen another alive. */
export async function sees(node: JoinedNode, other: string): Promise<void> {
  const peers = async () => (await node.json<{ peers: { nodeId: string; alive: boolean }[] }>('node', 'status')).peers;
  await eventually(
    peers,
    (all) => all.some(({ nodeId, alive }) => nodeId === other && alive),
    `${other} at ${node.name}`,
  );
}

/** Asks again until the answer is the one that is waited for. */
export async function eventually<Value>(
  ask: () => Promise<Value> | Value,
  isIt: (value: Value) => boolean,
  what: string,
) {
  const asking = (async () => {
    for (;;) {
      const value = await ask();
      if (isIt(value)) return value;
      await wait(100);
    }
  })();
  return await inTime(asking, what);
}
