import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { EventView } from '../../../src/api/contract.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import type { OrderPlan } from '../../../src/domain/order/order-request.ts';
import type { ResponseMessage } from '../../../src/protocols/aop/schema/response.ts';
import { linesOf } from '../../support/run-baton.ts';
import { output, RunStage, taskFor, until } from '../../support/run-stage.ts';
import { type Member, SessionStage, sessionFor } from '../../support/session/session-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new SessionStage(await RunStage.up('agent-auto'));
const { data } = stage.stage;

/** The reason of the newest choice for a task. */
async function reasonOf(task: string): Promise<string> {
  const events = linesOf<EventView>(await data.run(['events', '--json', '--type', 'order.admitted', '--task', task]));
  return String((events.at(-1)?.payload['routing'] as { reason: string } | undefined)?.reason);
}

describe('--agent auto', { skip: noBubblewrap }, () => {
  test('says that there is no evidence, then chooses by it; the choice is in the event and in the audit trail', async () => {
    const { root } = stage.stage.repository();
    const words = ['run', 'do it', '--agent', 'auto', '--workspace', root, '--dry-run'];
    const first = await data.run(words);
    assert.match(first.stdout.replaceAll(/\s+/g, ' '), /auto\s+\S+: no evidence yet, .*first that is ready/);
    const names = ['a', 'b', 'c'];
    const done = names.map((name) => [
      name,
      { agent: 'completes', task: { expected_outputs: [output(`${name}.txt`)] } },
    ]);
    const failed = names.map((name) => [`not-${name}`, { agent: 'crashes' }]);
    const before: Readonly<Record<string, Member>> = Object.fromEntries([...done, ...failed]);
    await stage.run(sessionFor(root, before, { workflow_pattern: 'PARALLEL' }));
    const now = await data.run(words);
    assert.match(now.stdout.replaceAll(/\s+/g, ' '), /auto\s+completes: 3 of 3 orders in this repository succeeded/);

    const members = { auto: { agent: 'auto', task: { expected_outputs: [output('d.txt')] } } };
    const run = await stage.run(sessionFor(root, members, { workflow_pattern: 'SINGLE' }));
    assert.equal(run.exit, 0, run.stderr);
    assert.equal(run.report.tasks?.[0]?.agent, 'completes');
    const trail = join(data.path, String(run.report.audit_trail?.storage_path));
    const records = readdirSync(trail)
      .filter((file) => /^\d+\.json$/.test(file))
      .map((file) => JSON.parse(readFileSync(join(trail, file), 'utf8')));
    const [decision] = records.filter(({ record_type }) => record_type === 'ROUTING_DECISION');
    assert.equal(decision.data.agent, 'completes');
    assert.equal(decision.data.chosen_by, 'auto');
    assert.match(decision.data.reason, /^completes: 3 of 3/);
    assert.equal(decision.data.candidates[0].success_rate, 1);

    const single = await stage.stage.run(taskFor('auto', root, { task: { expected_outputs: [output('e.txt')] } }));
    assert.equal(single.exit, 0, single.stderr);
    assert.equal(single.response.agent.name, 'completes');
    assert.match(await reasonOf('@'), /^completes: 4 of 4/);

    const made = await data.newTask('by hand', '--agent', 'auto', '--check', 'test -d .');
    await until(async () => ['review', 'done'].includes((await data.json<TaskView>('task', 'show', made.id)).status));
    const shown = await data.json<TaskView>('task', 'show', made.id);
    assert.equal(shown.agent, 'completes', 'a node chooses for a task that was made by hand');
    assert.match(await reasonOf(made.id), /^completes: \d of \d/);

    const worked = await data.run([
      'run',
      'fail',
      '--agent',
      'crashes',
      '--workspace',
      root,
      '--check',
      'false',
      '--retries',
      '0',
      '--yes',
      '--json',
    ]);
    assert.equal(worked.status, 1, worked.stdout);
    const going = await data.run(['continue', '@', 'go on', '--agent', 'auto', '--check', 'test -d .', '--json']);
    const again = linesOf<ResponseMessage>(going).at(-1);
    assert.equal(again?.agent.name, 'completes', going.stdout + going.stderr);
    assert.match(await reasonOf('@'), /^completes: /);
  });
});

describe('the time limit of an order for auto', () => {
  test('is what the order says, else that of the agent that is chosen, and no other', async () => {
    const alone = await RunStage.alone('agent-auto-time');
    alone.configure({
      default_agent: 'patient',
      agents: {
        patient: { ...alone.agent('completes'), model: 'patient', timeout_seconds: 7_200 },
        hasty: { ...alone.agent('completes'), model: 'hasty', timeout_seconds: 5 },
      },
    });
    const { root } = alone.repository();
    const secondsOf = async (...words: string[]) => {
      const plan = await alone.data.json<OrderPlan>('run', ...words, '--workspace', root, '--dry-run');
      assert.equal(plan.agent.name, 'patient');
      return plan.timeoutSeconds;
    };
    assert.equal(await secondsOf('do it', '--agent', 'auto', '--timeout', '30m'), 1_800);
    assert.equal(await secondsOf('do it', '--agent', 'auto', '--timeout', '10m'), 600);
    assert.equal(await secondsOf('do it', '--agent', 'auto'), 7_200);
    const said = taskFor('auto', root, { guard_rails: { timeout_seconds: 1_800 } });
    assert.equal(await secondsOf(alone.write(said)), 1_800);
    // The agent of this model is not the one that is chosen.
    const unsaid = taskFor('auto', root, { target: { model: 'hasty' } });
    assert.equal(await secondsOf(alone.write(unsaid)), 7_200);
  });
});
