import assert from 'node:assert/strict';
import type { EventView, SendAnswer } from '../../../src/api/contract.ts';
import { viewEvent, viewTask } from '../../../src/api/task/views.ts';
import { isRefusal, type Refusal, refuse } from '../../../src/domain/refusal.ts';
import type { CompletionOutcome } from '../../../src/domain/task/resolve-completion.ts';
import type { Run } from '../../../src/domain/task/run.ts';
import type { Task, TaskName } from '../../../src/domain/task/task.ts';
import type { TaskStatus } from '../../../src/domain/task/task-lifecycle.ts';
import type { Command } from '../../../src/ledger/commit-queue.ts';
import { selectRunsOfTask } from '../../../src/ledger/statements/runs.ts';
import { selectTask } from '../../../src/ledger/statements/tasks.ts';
import { makeReceive } from '../../../src/messages/receive.ts';
import { prepareLedger } from '../../../src/operations/ledger-upkeep.ts';
import { beatRun } from '../../../src/operations/run/beat-run.ts';
import { endSession } from '../../../src/operations/run/end-run.ts';
import { recoverRuns } from '../../../src/operations/run/recover-runs.ts';
import { claimTask } from '../../../src/operations/task/claim-task.ts';
import { createTask, type NewTask } from '../../../src/operations/task/create-task.ts';
import { moveTask } from '../../../src/operations/task/move-task.ts';
import { openTestLedger, type TestLedger } from '../test-ledger.ts';

export const NEW_TASK: NewTask = {
  title: 'Add users endpoint',
  body: '',
  priority: 'normal',
  agent: null,
  role: null,
  team: null,
  tags: [],
  resource: null,
  parentId: null,
  dependsOn: [],
  metadata: {},
  createdBy: 'operator',
};

export const SENT_AT = '2026-02-09T21:00:00.000Z';
/** Moves by hand that lead a new task to a status; in-progress comes by a claim. */
const WAYS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  backlog: [],
  ready: ['ready'],
  'in-progress': [],
  blocked: ['blocked'],
  review: ['blocked', 'review'],
  done: ['blocked', 'review', 'done'],
  cancelled: ['cancelled'],
  deadletter: ['ready', 'deadletter'],
};

export function completion(outcome: CompletionOutcome, more: Record<string, unknown> = {}) {
  const tests = { total: 4, passed: 4, failed: 0 };
  const blockers = outcome === 'blocked' ? ['Awaiting API key'] : [];
  return { outcome, summaryRef: 'outputs/summary.md', deliverables: [], tests, blockers, notes: 'noted', ...more };
}

/** Plays the life of tasks through the commands and, for messages, through the reader of the wire. */
export class TaskLife {
  readonly at: TestLedger;

  constructor(at: TestLedger = openTestLedger()) {
    this.at = at;
  }

  static async open(): Promise<TaskLife> {
    const life = new TaskLife();
    await life.do(prepareLedger, {});
    return life;
  }

  async ask<Facts, Result>(command: Command<Facts, Result>, facts: Facts): Promise<Result | Refusal> {
    return await this.at.ledger.submit(command, facts);
  }

  async do<Facts, Result>(command: Command<Facts, Result>, facts: Facts): Promise<Result> {
    const answer = await this.ask(command, facts);
    assert.ok(!isRefusal(answer), isRefusal(answer) ? `${answer.code}: ${answer.message}` : '');
    return answer as Result;
  }

  async refused<Facts, Result>(command: Command<Facts, Result>, facts: Facts): Promise<string> {
    const answer = await this.ask(command, facts);
    assert.ok(isRefusal(answer), 'it was not refused');
    return answer.code;
  }

  async create(facts: Partial<NewTask> = {}): Promise<TaskName> {
    return (await this.do(createTask, { ...NEW_TASK, ...facts })).task.id;
  }

  async claim(taskId: TaskName, agent = 'swe-backend', process: Run['process'] = null): Promise<Run> {
    return (await this.do(claimTask, { taskId, agent, process })).run;
  }

  /** A new task that `agent` holds. */
  async claimed(facts: Partial<NewTask> = {}, agent = 'swe-backend'): Promise<{ id: TaskName; run: Run }> {
    const id = await this.create(facts);
    return { id, run: await this.claim(id, agent) };
  }

  /** A new task of nobody in this status; in-progress is held by swe-backend. */
  async inStatus(status: TaskStatus, facts: Partial<NewTask> = {}): Promise<TaskName> {
    const id = await this.create(facts);
    if (status === 'in-progress') await this.claim(id);
    for (const to of WAYS[status]) await this.move(id, to);
    return id;
  }

  async move(taskId: TaskName, to: TaskStatus): Promise<Task> {
    return (await this.do(moveTask, { taskId, to, actor: 'operator', reason: null })).task;
  }

  async end(taskId: TaskName, agent = 'swe-backend', runId: string | null = null): Promise<Task> {
    return (await this.do(endSession, { taskId, agent, runId })).task;
  }

  async beat(taskId: TaskName, agent = 'swe-backend', runId: string | null = null): Promise<Run> {
    return (await this.do(beatRun, { taskId, agent, runId })).run;
  }

  async sweep(limit?: number): Promise<readonly { readonly type: string }[]> {
    return (await this.do(recoverRuns, limit === undefined ? {} : { limit })).events;
  }

  /** Hands in the text of a message, as `baton send` does. */
  async sendText(text: string, run: string | null = null): Promise<SendAnswer> {
    const { ledger, folder } = this.at;
    const receive = makeReceive({
      ledger,
      dataFolder: folder,
      order: async () => assert.fail('no order is sent here'),
      eventTypes: () => assert.fail('a message of AOF needs no settings'),
      signal: () => {},
      newId: () => assert.fail('a message of AOF needs no id'),
      beat: () => {},
      provider: async () => assert.fail('nobody is asked here'),
      federation: async () => refuse('not_joined', 'this node is in no federation'),
      sendTask: async () => refuse('not_joined', 'this node is in no federation'),
    });
    const { events, task, ...answer } = await receive(text, { kind: 'operator', run });
    return { ...answer, events: events.map(viewEvent), task: task && viewTask(task) };
  }

  async send(type: string, taskId: string, message: SentMessage): Promise<SendAnswer> {
    const { from = 'swe-backend', run = null, payload, ...head } = message;
    const route = { fromAgent: from, toAgent: 'dispatcher', sentAt: SENT_AT };
    const envelope = { protocol: 'aof', version: 1, type, taskId, ...route, ...head, payload };
    return await this.sendText(JSON.stringify(envelope), run);
  }

  async report(
    taskId: string,
    outcome: CompletionOutcome,
    message: Omit<SentMessage, 'payload'> = {},
  ): Promise<SendAnswer> {
    return await this.send('completion.report', taskId, { ...message, payload: completion(outcome) });
  }

  async update(taskId: string, payload: Record<string, unknown>, message: Omit<SentMessage, 'payload'> = {}) {
    const from = message.from ?? 'swe-backend';
    return await this.send('status.update', taskId, { ...message, payload: { taskId, agentId: from, ...payload } });
  }

  async handOff(
    taskId: string,
    parentTaskId: string,
    message: SentMessage & { to?: string } = {},
  ): Promise<SendAnswer> {
    const { to = 'swe-qa', payload, ...rest } = message;
    const from = rest.from ?? 'swe-backend';
    const asked = { taskId, parentTaskId, fromAgent: from, toAgent: to, dueBy: '2026-02-10T12:00:00.000Z', ...payload };
    return await this.send('handoff.request', taskId, { ...rest, payload: asked });
  }

  task(id: string): Task {
    const task = selectTask(this.at.ledger.read, id);
    assert.ok(task, `there is no ${id}`);
    return task;
  }

  status(id: string): TaskStatus {
    return this.task(id).status;
  }

  runs(id: string): Run[] {
    return selectRunsOfTask(this.at.ledger.read, id);
  }

  openDependencies(id: string): unknown {
    return this.at.ledger.read.one('SELECT open_dependencies AS open FROM tasks WHERE id = ?', id)?.open;
  }
}

export interface SentMessage {
  readonly from?: string;
  /** The run that the channel carries. */
  readonly run?: string | null;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly projectId?: string;
}

export function typesOf(answer: { readonly events: readonly Pick<EventView, 'type'>[] }): string[] {
  return answer.events.map(({ type }) => type);
}

/** The reasons of the events of one type. */
export function reasonsOf(answer: SendAnswer, type: string): unknown[] {
  return answer.events.filter((event) => event.type === type).map((event) => event.payload.reason);
}
