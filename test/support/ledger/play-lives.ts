// A program: opens the node of the folder given, plays lives of tasks, and writes each answer to standard output once it
// has it. With BATON_CRASH it is killed on the way; with `wait` it first waits for a byte, so that strace can come along.
import { copyFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeClient } from '../../../src/api/node-client.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { COMPLETION_OUTCOMES } from '../../../src/domain/task/resolve-completion.ts';
import { openNode, restoreNode } from '../../../src/node.ts';
import { readMessage } from '../../../src/protocols/read-message.ts';
import { pick, type Random, randomOf } from '../seed.ts';
import { type Acknowledged, FAULT_STATUS, TYPED } from './acknowledged.ts';

const [folder = '', seed = '1', lives = '6', ...modes] = process.argv.slice(2);
const AT_ONCE = 3;

function onFatal(fault: Error): never {
  writeSync(2, `${fault.message}: ${String(fault.cause)}\n`);
  process.exit(FAULT_STATUS);
}

function acknowledge(answer: Acknowledged): void {
  writeSync(1, `${JSON.stringify(answer)}\n`);
}

function wire(type: string, taskId: string, about: { agent: string; payload: object }): string {
  const route = { taskId, fromAgent: about.agent, toAgent: 'dispatcher', sentAt: '2026-02-09T21:00:00.000Z' };
  return JSON.stringify({ protocol: 'aof', version: 1, type, ...route, payload: about.payload });
}

class Player {
  readonly #node: NodeClient;
  readonly #random: Random;

  constructor(node: NodeClient, random: Random) {
    this.#node = node;
    this.#random = random;
  }

  /** One life, which may stop at any place: an agent that goes away is a life too. */
  async live(name: string): Promise<void> {
    const agent = `agent-${this.#random(3)}`;
    const reviewRequired = this.#random(2) === 0;
    const made = await this.#node.createTask({ title: name, reviewRequired }, { key: `key-${name}` });
    if (isRefusal(made)) {
      this.#refused(name, made.code);
      return;
    }
    acknowledge({ answer: 'created', task: made.id, title: name, revision: made.revision });
    await this.#shown();
    if (this.#random(8) === 0) return;
    // One that comes back without a report is taken a second time: the files of its first run make room.
    for (let status = 'ready', runs = 0; status === 'ready' && runs < 2; runs++) {
      status = await this.#run(made.id, agent);
      await this.#shown();
    }
  }

  /** So that the mirror comes by more than once, however fast the machine is. */
  async #shown(): Promise<void> {
    if (modes.includes('shown')) await this.#node.treeSettled();
  }

  async #run(task: string, agent: string): Promise<string> {
    const held = await this.#node.claimTask({ task, agent, run: null });
    if (isRefusal(held)) return this.#refused(task, held.code);
    const { id: run, fence } = held.run;
    acknowledge({ answer: 'claimed', task, run, fence, agent });
    await this.#report(task, agent, run);
    if (this.#random(8) === 0) return 'left';
    const ended = await this.#node.endTask({ task, agent, run });
    if (isRefusal(ended)) return this.#refused(task, ended.code);
    const { status } = ended.task;
    acknowledge({ answer: 'ended', task, run, status });
    return status;
  }

  async #report(task: string, agent: string, run: string): Promise<void> {
    const update = { taskId: task, agentId: agent, progress: 'half way' };
    await this.#send(wire('status.update', task, { agent, payload: update }), run);
    if (this.#random(4) === 0) return;
    const outcome = pick(COMPLETION_OUTCOMES, this.#random);
    const tests = { total: 1, passed: 1, failed: 0 };
    const payload = { outcome, summaryRef: 'outputs/summary.md', tests, blockers: ['none'], notes: 'so' };
    await this.#send(wire('completion.report', task, { agent, payload }), run);
  }

  async #send(text: string, run: string): Promise<void> {
    const { verdict, code, events } = await this.#node.send({ text, run });
    if (verdict !== 'accepted') this.#refused(text, code ?? verdict);
    for (const { eventId, type, taskId } of events)
      acknowledge({ answer: 'logged', task: taskId ?? '', seq: eventId, type });
  }

  #refused(what: string, code: string): string {
    acknowledge({ answer: 'refused', task: what, code });
    return code;
  }
}

/** Edits a file as a person would, and moves a task with a folder: the mirror has to keep one aside and rename the other. */
async function editByHand(node: NodeClient): Promise<void> {
  const task = await node.createTask({ title: 'edited by hand' });
  const parent = await node.createTask({ title: 'hands down' });
  if (isRefusal(task) || isRefusal(parent)) return;
  const asked = {
    taskId: task.id,
    parentTaskId: parent.id,
    fromAgent: 'a',
    toAgent: 'b',
    dueBy: '2026-02-10T12:00:00Z',
  };
  await node.send({ text: wire('handoff.request', task.id, { agent: 'a', payload: asked }) });
  await node.treeSettled({ tasks: [task.id] });
  await node.moveTask({ task: task.id, to: 'ready' });
  await node.claimTask({ task: parent.id, agent: 'a', run: null });
  await node.treeSettled();
  writeFileSync(join(folder, `runs/${parent.id}/run_heartbeat.json`), TYPED);
  await node.beatTask({ task: parent.id, agent: 'a', run: null });
  await node.treeSettled();
  copyFileSync(join(folder, `tasks/ready/${task.id}.md`), join(folder, `tasks/backlog/${task.id}.md`));
  await node.rebuild();
}

async function backUp(node: NodeClient): Promise<void> {
  const answer = await node.backup({ file: `${folder}.backup`, force: true });
  if (isRefusal(answer)) throw new Error(answer.message);
}

async function play(): Promise<void> {
  let node = await openNode({ dataFolder: folder, onFatal, isBrief: true });
  const names = Array.from({ length: Number(lives) }, (_, at) => `${seed}-${at}`);
  const player = async (at: number) => {
    const own = new Player(node, randomOf(Number(seed), at));
    for (const name of names.filter((_, place) => place % AT_ONCE === at)) await own.live(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => player(at)));
  if (modes.includes('edit')) await editByHand(node);
  if (modes.includes('backup')) await backUp(node);
  await node.treeSettled();
  await node.close();
  if (!modes.includes('restore')) return;
  const restored = await restoreNode({ dataFolder: folder, onFatal, file: `${folder}.backup` });
  if (isRefusal(restored)) throw new Error(restored.message);
  node = await openNode({ dataFolder: folder, onFatal, isBrief: true });
  await node.close();
}

// The reader of the wire is loaded now, not in the middle of what is watched.
await readMessage('AOF/1 {}');
if (modes.includes('wait')) {
  writeSync(1, 'ready\n');
  readSync(0, new Uint8Array(1));
}
await play();
