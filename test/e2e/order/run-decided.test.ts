import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { SendAnswer } from '../../../src/api/contract.ts';
import type { OrderReport } from '../../../src/api/order/order-contract.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import type { OrderRequest } from '../../../src/domain/order/order-request.ts';
import { VendorStage } from '../../support/agent/vendor-stage.ts';
import { programOf } from '../../support/fixture-agents.ts';
import { linesOf } from '../../support/run-baton.ts';
import { orderRun, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const AGENT = 'works-until-told';

/** One slot, so the second order waits for the first. */
function configure(stage: RunStage, timeoutSeconds: number, settings: object): void {
  const file = programOf(AGENT);
  const agent = { driver: 'process', command: [process.execPath, file], provider: 'OTHER', model: AGENT };
  stage.configure({
    runs: { at_once: 1, memory_mib: 4096 },
    agents: { [AGENT]: { ...agent, timeout_seconds: timeoutSeconds } },
    ...settings,
  });
}

/** The order in the first fact of the task's newest round. */
function storedOrder(stage: RunStage, task: string): Order {
  const db = new DatabaseSync(join(stage.data.path, 'ledger.sqlite'), { readOnly: true });
  const row = db.prepare('SELECT fact FROM run_facts WHERE task_id = ? AND number = 1 ORDER BY round DESC').get(task);
  db.close();
  return (JSON.parse(String(row?.fact)) as { readonly order: Order }).order;
}

/** A timeout, a check, a setup command or a cap of 0 that counted would end the waiting order as a failure. */
const CHANGED = {
  checks: ['false'],
  allow_shell: true,
  sandbox: 'required',
  worktree: { setup: ['false'] },
  budgets: { run_usd: 0 },
  network: { restricted: ['changed.example'] },
};

describe('the configuration changes while an order waits', { skip: noBubblewrap }, () => {
  test('the order is carried out as it was decided, and the next one as configured now', {
    timeout: 90_000,
  }, async () => {
    const stage = await RunStage.up('run-decided');
    configure(stage, 600, { checks: ['test -f go'] });
    const [first, second, third] = [stage.repository(), stage.repository(), stage.repository()];
    await order(stage, first.root);
    await until(() => existsSync(join(first.root, 'work.pids')));
    const task = await order(stage, second.root, { worktree: true });
    const decided = storedOrder(stage, task);

    configure(stage, 1, CHANGED);
    const later = await order(stage, third.root);
    first.write('go', '');
    await until(async () => (await stage.task(task)).status === 'in-progress');
    // Longer than the timeout that is configured now.
    await setTimeout(2_000);
    assert.equal((await stage.task(task)).status, 'in-progress');
    assert.deepEqual(storedOrder(stage, task), decided);
    assert.equal(decided.policy.timeoutSeconds, 600);
    assert.deepEqual(decided.checks, ['test -f go']);
    assert.deepEqual(decided.hosts, []);

    const next = storedOrder(stage, later);
    assert.deepEqual(
      [next.policy.timeoutSeconds, next.checks, next.isShellAllowed, next.isSandboxDemanded, next.budget.costUsdMax],
      [1, ['false'], true, true, 0],
    );
    assert.deepEqual([next.hosts, next.worktree.setup], [['changed.example'], ['false']]);
    await stage.data.run(['stop', later]);
    writeFileSync(join((await report(stage, task)).workplace?.folder ?? '', 'go'), '');
    await until(async () => (await report(stage, task)).isOver);
    const { signal, checks } = await report(stage, task);
    assert.deepEqual([signal, checks.map(({ id }) => id)], ['SUCCESS', ['test -f go']]);
  });
});

test('a waiting order starts the program that was configured when it was accepted', {
  skip: noBubblewrap,
  timeout: 90_000,
}, async () => {
  const stage = await RunStage.up('run-decided-agent');
  configure(stage, 600, { checks: ['test -f go'] });
  const [first, second] = [stage.repository(), stage.repository()];
  await order(stage, first.root);
  await until(() => existsSync(join(first.root, 'work.pids')));
  const task = await order(stage, second.root);

  const other = { driver: 'process', command: ['false'], provider: 'OTHER', model: 'other' };
  stage.configure({ runs: { at_once: 1 }, agents: { [AGENT]: other } });
  await until(async () => {
    const found = await stage.daemon?.client.listAgents({});
    return found !== undefined && JSON.stringify(found).includes('"other"');
  });
  second.write('go', '');
  first.write('go', '');
  await until(async () => (await report(stage, task)).isOver);
  assert.equal((await report(stage, task)).signal, 'SUCCESS');
});

test('an order that was planned in a worktree starts in one, though the workspace is free by then', {
  skip: noBubblewrap,
  timeout: 90_000,
}, async () => {
  const stage = await RunStage.up('run-decided-place');
  configure(stage, 600, { checks: ['true'] });
  const repository = stage.repository();
  await order(stage, repository.root);
  await until(() => existsSync(join(repository.root, 'work.pids')));
  const task = await order(stage, repository.root);
  repository.write('mine.txt', 'typed while the order waited');
  repository.write('go', '');
  await until(async () => (await report(stage, task)).workplace !== null);
  const { workplace } = await report(stage, task);
  assert.equal(workplace?.kind, 'worktree');
  writeFileSync(join(workplace?.folder ?? '', 'go'), '');
  await until(async () => (await report(stage, task)).isOver);
});

test('a retry by hand is decided anew, with the flags of the first order and the configuration of today', {
  skip: noBubblewrap,
  timeout: 90_000,
}, async () => {
  const stage = await RunStage.up('run-decided-retry');
  configure(stage, 1, {});
  const repository = stage.repository();
  const task = await order(stage, repository.root, { checks: ['test -f go'] });
  await until(async () => (await report(stage, task)).isOver);
  assert.equal((await stage.task(task)).status, 'blocked');

  configure(stage, 600, {});
  repository.write('go', '');
  await stage.data.run(['task', 'retry', task]);
  await until(async () => (await stage.task(task)).status === 'done');
  const { policy, checks } = storedOrder(stage, task);
  assert.deepEqual([policy.timeoutSeconds, checks], [600, ['test -f go']]);
});

describe('the message of an order is read when it is accepted', { timeout: 180_000 }, () => {
  /** Sends a TASK while no node runs, changes its rows, and starts a node; the TASK that the agent got. */
  async function taskAfter(name: string, sql: string): Promise<[sent: object, got: object]> {
    const stage = await RunStage.alone(name);
    const { root } = stage.repository();
    const message = taskFor('keeps-its-task', root, { task: { extensions: { x_own: ['a', 'b'] } } });
    const [sent] = linesOf<SendAnswer>(await stage.data.run(['send', stage.write(message), '--json']));
    const db = new DatabaseSync(join(stage.data.path, 'ledger.sqlite'));
    assert.equal(db.prepare(sql).run().changes, 1);
    db.close();
    await stage.startNode();
    await until(async () => (await report(stage, sent?.task?.id ?? '')).isOver);
    const got: object = JSON.parse(readFileSync(join(root, 'got-1.json'), 'utf8'));
    return [{ ...message, task: { ...message.task, attempt: 1 } }, got];
  }

  test('its text is not decoded again at a launch', async () => {
    const [sent, got] = await taskAfter('run-decided-message', "UPDATE orders SET text = 'no TASK any more'");
    assert.deepEqual(got, sent);
  });

  test('the text of an order that an older Baton accepted is', async () => {
    const sql = "UPDATE run_facts SET fact = json_remove(fact, '$.message') WHERE number = 1";
    const [sent, got] = await taskAfter('run-decided-text', sql);
    assert.deepEqual(got, sent);
  });
});

describe('the configuration changes while an order waits for quota', { skip: noBubblewrap }, () => {
  function configureUser(stage: VendorStage, outputUsd: number, onQuota: string): void {
    mkdirSync(join(stage.home, '.config', 'baton'), { recursive: true });
    const prices = `prices: { codex: { date: 2026-11-01, input_usd: 10, output_usd: ${outputUsd} } }`;
    writeFileSync(join(stage.home, '.config', 'baton', 'config.yaml'), `${prices}\non_quota: ${onQuota}\n`);
  }

  test('prices and on_quota are those of the moment it was accepted', async (t) => {
    const stage = new VendorStage(t);
    configureUser(stage, 100, 'wait');
    const steps = ['1 write a.txt half', '1 quota 1', '2 quota 1', '3 write a.txt right'];
    const words = ['Fill a.txt.', ...steps.map((step) => `@codex ${step}`)].join('\n');
    const flags = ['--agent', 'codex', '--yes', '--retries', '0', '--check', 'grep right a.txt', '--json'];
    let run = await stage.baton('run', words, ...flags);
    configureUser(stage, 0, 'ask');
    for (let refusal = 1; refusal <= 2; refusal++) {
      assert.equal(run.status, 75, `refused ${refusal} times: ${run.stdout}${run.stderr}`);
      const [waiting] = linesOf<{ task: string; quota: { until: string } }>(run);
      while (Date.now() < Date.parse(waiting?.quota.until ?? '')) await setTimeout(100);
      run = await stage.baton('run', waiting?.task ?? '', '--yes', '--json');
    }
    const { exit, response, stderr } = orderRun(run);
    assert.equal(exit, 0, stderr);
    // Three turns of 120 tokens in and 24 out; the refused ones count as far as their vendor reports them.
    const { actual_cost_usd: cost, tokens_output: out } = response.cost_tracking ?? {};
    assert.ok(Number(out) > 0 && Number(cost) >= (Number(out) * 100) / 1_000_000, `${cost} for ${out} tokens out`);
  });
});

/** Accepted by the node; its task. */
async function order(stage: RunStage, workspace: string, more: Partial<OrderRequest> = {}): Promise<string> {
  const answer = await stage.daemon?.client.submitOrder({ text: 'Do it.', workspace, agent: AGENT, ...more });
  if (!answer || 'kind' in answer) throw new Error(answer?.message ?? 'no node');
  return answer.task.id;
}

async function report(stage: RunStage, task: string): Promise<OrderReport> {
  const found = await stage.daemon?.client.orderReport({ task });
  if (!found || 'kind' in found) throw new Error(`no report of ${task}`);
  return found;
}
