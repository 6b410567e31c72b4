import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../test/support/order/an-order.ts';
import { reviewerTerms } from '../../test/support/order/some-terms.ts';
import { admitted } from '../../test/support/run/an-execution.ts';
import { NEW_TASK, TaskLife } from '../../test/support/task/task-life.ts';
import type { AgentFacts } from '../domain/agent/agent.ts';
import type { Fact } from '../domain/execution/fact.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { upsertQuotaHold } from '../ledger/statements/quota-holds.ts';
import { submitOrder } from '../operations/order/order-rounds.ts';
import type { RunSettings } from '../orders/run-settings.ts';
import { accountOfTask, holdOfTask } from './order-agent.ts';
import { planTick } from './plan-tick.ts';

const hold: Command<{ readonly account: string; readonly until: number }, object> = (tx, { account, until }) => {
  upsertQuotaHold(tx, { account, until, message: 'used up', scope: null });
  return {};
};

/** Submits an order of emma that was admitted with a model of hers. */
async function submitted({ ledger }: TaskLife['at'], model: string): Promise<TaskName> {
  const { agent } = reviewerTerms('emma');
  const fact = { ...admitted(), agents: [{ ...agent, model }] } as Extract<Fact, { readonly kind: 'admitted' }>;
  const task = { ...NEW_TASK, agent: 'emma' };
  const order = anOrder({ taskId: model });
  const made = await ledger.submit(submitOrder, { task, order, provenance: null, message: null, admitted: fact });
  return 'task' in made ? made.task.id : assert.fail(made.message);
}

test('an accepted order starts although its agent is not configured any more; a task without one waits for a claim', async () => {
  const life = await TaskLife.open();
  const { ledger, clock } = life.at;
  const accepted = await submitted(life.at, 'old');
  await life.inStatus('ready', { agent: 'gone' });
  const planned = planTick(ledger.read, { ofAgent: { other: 1 }, inAll: 5 }, clock.now().wallMs);
  assert.deepEqual(
    planned.map(({ id }) => id),
    [accepted],
  );
});

test('the quota of a waiting order is that of the agent it was admitted with, whatever is configured since', async () => {
  const life = await TaskLife.open();
  const { ledger, clock } = life.at;
  const { agent } = reviewerTerms('emma');
  const [earlier, later] = [await submitted(life.at, 'old'), await submitted(life.at, 'new')];
  const world = {
    ledger,
    clock,
    roster: {
      settings: () => ({ agents: [{ ...agent, model: 'new' }] }) as unknown as RunSettings,
      accountOf: ({ model }: AgentFacts) => `vendor:${model}`,
    },
  };
  await ledger.submit(hold, { account: 'vendor:old', until: clock.now().wallMs + 1 });
  assert.equal(holdOfTask(world, { id: earlier, agent: 'emma' })?.account, 'vendor:old');
  assert.equal(holdOfTask(world, { id: later, agent: 'emma' }), null);
  // Each account that was refused is tried by one task: the other order waits for none.
  const slots = { ofAgent: { emma: 5 }, inAll: 5, accountOf: (task: typeof starting) => accountOfTask(world, task) };
  const starting = { id: earlier, agent: 'emma' };
  const planned = planTick(ledger.read, { ...slots, starting: [starting] }, clock.now().wallMs);
  assert.deepEqual(
    planned.map(({ id }) => id),
    [later],
  );
});
