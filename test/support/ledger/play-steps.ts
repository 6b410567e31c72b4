import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { COMPLETION_OUTCOMES } from '../../../src/domain/task/resolve-completion.ts';
import type { TaskName } from '../../../src/domain/task/task.ts';
import { TASK_STATUSES } from '../../../src/domain/task/task-lifecycle.ts';
import type { Command } from '../../../src/ledger/commit-queue.ts';
import { receiveMessage } from '../../../src/operations/message/receive-message.ts';
import { beatRun } from '../../../src/operations/run/beat-run.ts';
import { endSession } from '../../../src/operations/run/end-run.ts';
import { recoverRuns } from '../../../src/operations/run/recover-runs.ts';
import { claimTask } from '../../../src/operations/task/claim-task.ts';
import { createTask } from '../../../src/operations/task/create-task.ts';
import { dependTask } from '../../../src/operations/task/depend-task.ts';
import { moveTask, retryTask } from '../../../src/operations/task/move-task.ts';
import { decodeAgentMessage } from '../../../src/protocols/aof/decode-agent-message.ts';
import type { AofEnvelope } from '../../../src/protocols/aof/schema/messages.ts';
import { completion, NEW_TASK, SENT_AT } from '../task/task-life.ts';
import type { TestLedger } from '../test-ledger.ts';
import { checkLedger } from './check-ledger.ts';
import { ModelLedger, type ModelTask } from './model-ledger.ts';

const AGENTS = ['ann', 'bob', 'cyd'] as const;

/** One request of a caller; its task is an index modulo the number of tasks. */
const oneStep = fc.record({
  kind: fc.constantFrom(
    'claim',
    'claim',
    'end',
    'end',
    'report',
    'report',
    'update',
    'move',
    'retry',
    'depend',
    'beat',
  ),
  task: fc.nat(11),
  other: fc.nat(11),
  agent: fc.constantFrom(...AGENTS, ...AGENTS, 'operator'),
  channel: fc.constantFrom('none', 'none', 'none', 'current', 'old'),
  outcome: fc.constantFrom(...COMPLETION_OUTCOMES),
  status: fc.constantFrom(...TASK_STATUSES),
  isProcess: fc.boolean(),
});

const newTask = fc.record({
  agent: fc.constantFrom(null, null, ...AGENTS),
  resource: fc.constantFrom(null, null, null, 'staging'),
  isReviewed: fc.boolean(),
  needs: fc.array(fc.nat(11), { maxLength: 2 }),
});

const oneTurn = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      turn: fc.constant('together' as const),
      steps: fc.array(oneStep, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      turn: fc.constant('create' as const),
      tasks: fc.array(newTask, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ turn: fc.constant('sweep' as const), passMs: fc.constantFrom(1, 200_000, 300_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ turn: 'reboot' as const }, { turn: 'reopen' as const }, { turn: 'jump' as const }),
  },
);

export const someTurns = fc.array(oneTurn, { minLength: 5, maxLength: 40 });

type Turn = typeof someTurns extends fc.Arbitrary<infer Turns> ? (Turns extends (infer One)[] ? One : never) : never;
type Step = typeof oneStep extends fc.Arbitrary<infer One> ? One : never;
type ScriptedCommand = {
  readonly command: Command<never, unknown>;
  readonly facts: unknown;
  readonly expected: string;
};

/** Plays turns against the ledger and the model, and compares them after each. */
export class StepPlayer {
  readonly #at: TestLedger;
  readonly #model: ModelLedger;

  constructor(at: TestLedger) {
    this.#at = at;
    this.#model = new ModelLedger(at.clock.now());
  }

  async play(turns: readonly Turn[]): Promise<void> {
    await this.#take({
      turn: 'create',
      tasks: [0, 1, 2].map(() => ({ agent: null, resource: null, isReviewed: true, needs: [] })),
    });
    for (const turn of turns) {
      await this.#take(turn);
      this.#compare(JSON.stringify(turn));
    }
    assert.deepEqual(checkLedger(this.#at.ledger.database), []);
  }

  async #take(turn: Turn): Promise<void> {
    switch (turn.turn) {
      case 'create':
        for (const task of turn.tasks) await this.#create(task);
        return;
      case 'together':
        return await this.#together(turn.steps.map((step) => this.#ask(step)));
      case 'sweep':
        this.#at.clock.step(turn.passMs);
        break;
      case 'jump':
        this.#at.clock.jumpWall(-86_400_000);
        return;
      case 'reopen':
        this.#at.reopen();
        return;
      case 'reboot':
        this.#at.clock.reboot();
    }
    this.#model.now = this.#at.clock.now();
    await this.#together([ask(recoverRuns, {}, this.#model.sweep())]);
  }

  async #create(task: {
    agent: string | null;
    resource: string | null;
    isReviewed: boolean;
    needs: readonly number[];
  }) {
    const needs = task.needs.map((at) => this.#task(at)?.id).filter((id) => id !== undefined) as TaskName[];
    const { agent, resource, isReviewed } = task;
    const facts = {
      ...NEW_TASK,
      agent,
      resource,
      dependsOn: needs,
      metadata: isReviewed ? {} : { reviewRequired: false },
    };
    const made = await this.#at.ledger.submit(createTask, facts);
    assert.ok(!isRefusal(made));
    this.#model.create({ id: made.task.id, agent, resource, isReviewed, needs: new Set(needs) });
  }

  #task(at: number): ModelTask | undefined {
    const tasks = [...this.#model.tasks.values()];
    return tasks[at % tasks.length];
  }

  #ask(step: Step): ScriptedCommand {
    const task = this.#task(step.task) as ModelTask;
    const other = this.#task(step.other) as ModelTask;
    const taskId = task.id as TaskName;
    const run = step.channel === 'none' ? null : step.channel === 'old' ? 'run_old' : task.live?.id || 'run_none';
    const { agent, isProcess } = step;
    const process = isProcess ? { pid: 1, startTicks: 1 } : null;
    const from = { agent, run };
    switch (step.kind) {
      case 'claim':
        return ask(claimTask, { taskId, agent, process }, this.#model.claim(task, agent, isProcess));
      case 'beat':
        return ask(beatRun, { taskId, agent, runId: run }, this.#model.beat(task, agent, run));
      case 'end':
        return ask(endSession, { taskId, agent, runId: run }, this.#model.end(task, agent, run));
      case 'move':
        return ask(
          moveTask,
          { taskId, to: step.status, actor: 'operator', reason: null },
          this.#model.move(task, step.status),
        );
      case 'retry':
        return ask(retryTask, { taskId, actor: 'operator' }, this.#model.retry(task));
      case 'depend':
        return ask(
          dependTask,
          { taskId, on: [other.id as TaskName], actor: 'operator' },
          this.#model.depend(task, other),
        );
      case 'report': {
        const message = messageOf('completion.report', { taskId, agent, payload: completion(step.outcome) });
        return ask(
          receiveMessage,
          { message: decodeAgentMessage(message), warnings: [], channelRun: run },
          this.#model.report(task, from, step.outcome),
        );
      }
      case 'update': {
        const payload = { taskId, agentId: agent, status: step.status, progress: 'on it' };
        const message = messageOf('status.update', { taskId, agent, payload });
        return ask(
          receiveMessage,
          { message: decodeAgentMessage(message), warnings: [], channelRun: run },
          this.#model.update(task, from, step.status),
        );
      }
      default:
        return assert.fail(step.kind);
    }
  }

  /** All in one batch; then the model learns the ids of the runs that were started. */
  async #together(asked: readonly ScriptedCommand[]): Promise<void> {
    const answers = asked.map(({ command, facts }) => this.#at.ledger.submit(command, facts as never));
    for (const [at, answer] of (await Promise.all(answers)).entries()) {
      const expected = asked[at];
      assert.equal(codeOf(answer), expected?.expected, JSON.stringify(expected?.facts));
    }
    for (const task of this.#model.tasks.values()) {
      if (task.live !== null) task.live.id = String(this.#row(task.id).run_id);
    }
  }

  #row(id: string) {
    return this.#at.ledger.read.one('SELECT * FROM tasks WHERE id = ?', id) ?? {};
  }

  #compare(turn: string): void {
    for (const task of this.#model.tasks.values()) {
      const row = this.#row(task.id);
      const ledger = [row.status, row.fence, row.reclaims, row.open_dependencies, row.run_id];
      const model = [task.status, task.fence, task.reclaims, this.#model.openNeeds(task), task.live?.id ?? null];
      assert.deepEqual(ledger, model, `${task.id} after ${turn}`);
    }
  }
}

function ask<Facts>(command: Command<Facts, unknown>, facts: Facts, expected: string): ScriptedCommand {
  return { command: command as Command<never, unknown>, facts, expected };
}

function codeOf(answer: unknown): unknown {
  if (isRefusal(answer)) return answer.code;
  const { verdict, code } = answer as { verdict?: string; code?: string };
  return verdict === 'refused' ? code : 'ok';
}

function messageOf(type: string, about: { taskId: string; agent: string; payload: unknown }): AofEnvelope {
  const { taskId, agent, payload } = about;
  const route = { taskId, fromAgent: agent, toAgent: 'dispatcher', sentAt: SENT_AT };
  return { protocol: 'aof', version: 1, type, ...route, payload } as AofEnvelope;
}
