import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Task } from '../../../src/domain/task/task.ts';
import { isTerminal } from '../../../src/domain/task/task-lifecycle.ts';
import type { StoreCopy } from '../../../src/federation/memory/memory-store.ts';
import { TaskFleet, type TaskNode } from './sim-tasks.ts';

const SENDERS = ['a', 'b'] as const;
/** Both have the agent critic: the second stands by. */
const NODES = ['a', 'b', 'c', 'd'] as const;
type Name = (typeof NODES)[number];
const AGENTS: Readonly<Record<Name, readonly string[]>> = {
  a: ['emma'],
  b: ['writer'],
  c: ['critic'],
  d: ['critic', 'editor'],
};

/** One thing that happens to a federation whose nodes send each other tasks. */
export type TaskStep =
  | { readonly kind: 'order'; readonly from: (typeof SENDERS)[number]; readonly to: readonly string[] }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'stop'; readonly which: number }
  | { readonly kind: 'kill' | 'restart' | 'cut' | 'heal'; readonly node: Name }
  | { readonly kind: 'lose'; readonly every: number }
  | { readonly kind: 'replay' | 'remember' | 'roll-back' }
  | { readonly kind: 'skew'; readonly node: Name; readonly ms: number };

const node = fc.constantFrom(...NODES);
const target = fc.constantFrom('critic', 'editor', 'c', 'd', 'writer', 'critic@c');

export const taskSteps: fc.Arbitrary<readonly TaskStep[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('order' as const),
        from: fc.constantFrom(...SENDERS),
        to: fc.uniqueArray(target, { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1_000, 4_000, 30_000, 120_000) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('stop' as const), which: fc.nat(5) }) },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constantFrom('kill' as const, 'restart', 'cut', 'heal', 'heal'), node }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), every: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('replay' as const, 'remember', 'roll-back') }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('skew' as const), node, ms: fc.constantFrom(0, 3_600_000, -3_600_000) }),
    },
  ),
  { minLength: 15, maxLength: 40, size: 'max' },
);

interface Ordered {
  readonly from: TaskNode;
  readonly task: Task;
  isStopped: boolean;
}

/** Plays steps on four nodes, lets everything end, and checks what was promised. */
export class TaskPlay {
  readonly fleet = new TaskFleet();
  readonly #ordered: Ordered[] = [];
  #copy: StoreCopy | null = null;

  async start(): Promise<void> {
    for (const name of NODES) await this.fleet.add(name, AGENTS[name]);
    await this.fleet.pass(3_000);
  }

  #node(name: Name): TaskNode {
    return this.fleet.nodes.get(name) as TaskNode;
  }

  async step(step: TaskStep): Promise<void> {
    const { store } = this.fleet;
    switch (step.kind) {
      case 'order': {
        const from = this.#node(step.from);
        if (!from.isDead) this.#ordered.push({ from, task: await from.order({ to: [...step.to] }), isStopped: false });
        break;
      }
      case 'pass':
        await this.fleet.pass(step.ms);
        break;
      case 'stop': {
        const ordered = this.#ordered[step.which];
        if (!ordered || ordered.from.isDead) break;
        ordered.isStopped = true;
        await ordered.from.stop(ordered.task.id);
        break;
      }
      case 'kill':
        this.#node(step.node).kill();
        break;
      case 'restart':
        if (this.#node(step.node).isDead) await this.#node(step.node).restart();
        break;
      case 'cut':
        store.cut(step.node);
        break;
      case 'heal':
        store.heal(step.node);
        break;
      case 'lose':
        store.lose(({ seq }) => seq % step.every === 0);
        break;
      case 'replay':
        for (const { frames } of store.copy().outboxes.values()) {
          // Late, and in another order than they were sent.
          for (const list of frames.values()) store.append([...list].reverse(), true);
        }
        break;
      case 'remember':
        this.#copy = store.copy();
        break;
      case 'roll-back':
        if (this.#copy) store.restore(this.#copy);
        break;
      case 'skew':
        this.#node(step.node).skewMs = step.ms;
        break;
    }
    await this.fleet.settle();
  }

  async finish(): Promise<void> {
    for (const name of NODES) {
      this.fleet.store.heal(name);
      if (this.#node(name).isDead) await this.#node(name).restart();
    }
    for (let turns = 0; turns < 40 && !this.#isOver(); turns++) await this.fleet.pass(120_000);
    await this.fleet.pass(60_000);
  }

  #isOver(): boolean {
    return this.#ordered.every(({ from, task }) => isClosed(from, task));
  }

  check(): void {
    for (const { from, task, isStopped } of this.#ordered) {
      const what = `${task.id} of ${from.name} (${JSON.stringify(from.factsOf(task.id).map(({ kind }) => kind))})`;
      assert.ok(isClosed(from, task), `${what} has an end`);
      const facts = from.factsOf(task.id);
      const applied = facts.filter(({ kind }) => kind === 'answered').length;
      assert.ok(applied <= 1, `${what}: one result at most is applied`);
      const { status } = from.task(task.id);
      if (!isStopped) assert.equal(status, 'done', `${what} is ${status}`);
      if (status === 'done') assert.ok(this.#finishedBy(task.uid).length > 0, `${what} was done by somebody`);
      assert.ok(isTerminal(status) || status === 'blocked', `${what} is ${status}`);
    }
    for (const name of NODES) this.#checkNode(name);
  }

  #finishedBy(uid: string): readonly string[] {
    return NODES.filter((name) => this.#node(name).everFinished(uid));
  }

  #checkNode(name: Name): void {
    const node = this.#node(name);
    assert.deepEqual(node.rows("SELECT uid FROM received_tasks WHERE state <> 'ended'"), [], `open at ${name}`);
    assert.deepEqual(node.rows('SELECT event_id FROM inbox WHERE is_queued = 1'), [], `queued at ${name}`);
    const twice = `SELECT corr_id FROM outbox WHERE kind IN ('task_complete', 'task_failed') AND attempt = 1
      GROUP BY corr_id, json_extract(envelope, '$.payload.taskId') HAVING count(DISTINCT operation) > 2`;
    assert.deepEqual(node.rows(twice), [], `answered more than twice by ${name}`);
    assert.deepEqual(node.rows("SELECT kind FROM incidents WHERE kind LIKE 'refused_%'"), [], `attacks at ${name}`);
    const early = `SELECT a.seq FROM outbox AS a WHERE a.kind = 'ack' AND json_extract(a.envelope, '$.payload.ackType') = 'processed'
      AND NOT EXISTS (SELECT 1 FROM outbox AS b WHERE b.corr_id = a.corr_id AND b.seq < a.seq AND b.kind IN ('task_complete', 'task_failed'))`;
    assert.deepEqual(node.rows(early), [], `processed before the end at ${name}`);
  }
}

function isClosed(from: TaskNode, { id }: Task): boolean {
  return from.rows('SELECT 1 FROM orders WHERE task_id = ? AND is_open = 0', id).length === 1;
}

/** Plays schedules until one breaks a promise; the error names the seed and the shortest schedule that breaks it. */
export async function playTaskSchedules(runs: number, seed: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(taskSteps, async (steps) => {
      const play = new TaskPlay();
      await play.start();
      for (const step of steps) await play.step(step);
      await play.finish();
      play.check();
    }),
    { numRuns: runs, seed, verbose: 0, endOnFailure: process.env.BATON_SHRINK === undefined },
  );
}
