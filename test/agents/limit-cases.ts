import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliStage } from '../support/agent/cli-stage.ts';
import { CLAUDE, CODEX, type VendorCli } from '../support/agent/vendor-cli.ts';
import { linesOf } from '../support/run-baton.ts';
import { orderRun, output, type TaskChanges, taskFor } from '../support/run-stage.ts';

interface Waiting {
  readonly verdict: string;
  readonly quota: { readonly account: string; readonly until: string };
}

const HOUR_MS = 3_600_000;
const NOTHING_LEFT = { processes: [], temporary: [], home: [] };

/** A vendor refuses more work for now, and the task waits. */
export function quotaCase(vendor: VendorCli): void {
  test('a vendor that is out of quota until a time: the task waits for it, and its work stays', async () => {
    const stage = await CliStage.begin([vendor]);
    stage.model.follow([
      { do: 'write', path: stage.path('half.txt'), content: 'half' },
      { do: 'quota', resetsInMs: 2 * HOUR_MS, times: 99 },
    ]);
    const before = Date.now();
    const run = await stage.startRun('--check', 'test -f out.txt', '--retries', '0').ended;
    assert.equal(run.status, 75, run.stdout + run.stderr);
    const [waiting] = linesOf<Waiting>(run);
    assert.equal(waiting?.verdict, 'waiting');
    const waitMs = Date.parse(waiting?.quota.until ?? '') - before;
    // Without a time of the vendor the first wait is five minutes.
    const [least, most] = vendor.hidesReset ? [0.08, 0.12] : [1.98, 2.5];
    assert.ok(waitMs >= least * HOUR_MS && waitMs < most * HOUR_MS, `${waitMs / HOUR_MS} h`);
    assert.equal(stage.repository.read('half.txt'), 'half');
    assert.deepEqual(stage.left(), NOTHING_LEFT);
  });
}

function orderFor(vendor: VendorCli, stage: CliStage, changes: TaskChanges): string {
  const target = { agent_name: vendor.name, provider: 'OTHER', model: vendor.name };
  const file = join(stage.home, '..', 'task.json');
  writeFileSync(file, JSON.stringify(taskFor(vendor.name, stage.repository.root, { target, ...changes })));
  return file;
}

/** The bounds of an order: its budget, and the vendor that goes on after it. */
export function orderCases(vendor: VendorCli): void {
  const other = vendor.name === CODEX.name ? CLAUDE : CODEX;

  test('an agent that has used up the budget of its order is ended with E_COST_LIMIT_EXCEEDED', async () => {
    const stage = await CliStage.begin([vendor]);
    stage.model.follow(
      [1, 2, 3, 4].map((number) => ({ do: 'write', path: stage.path(`${number}.txt`), content: 'x' }) as const),
    );
    const task = { budgets: { max_tokens: 1_000 }, expected_outputs: [output('1.txt')] };
    const run = await stage.baton('run', orderFor(vendor, stage, { task }), '--json');
    const { exit, code } = orderRun(run);
    assert.deepEqual([exit, code], [1, 'E_COST_LIMIT_EXCEEDED'], run.stdout);
    assert.deepEqual(stage.left(), NOTHING_LEFT);
  });

  test(`an order with ${other.name} as its alternative goes on there, with the work kept`, async () => {
    const stage = await CliStage.begin([vendor, other]);
    stage.model.follow([
      { do: 'write', path: stage.path('half.txt'), content: 'half' },
      { do: 'say', text: 'The moon is full.' },
    ]);
    const second = stage.models.get(other.name);
    second?.follow([{ do: 'write', path: stage.path('whole.txt'), content: 'whole' }]);
    const alternative = { provider: other.provider, model: other.name, fallback_trigger: 'FIRST_ERROR' };
    const file = orderFor(vendor, stage, {
      task: { expected_outputs: [output('half.txt'), output('whole.txt')] },
      execution_policy: { max_retries: 0, alternative_models: [alternative] },
    });
    const { exit, response, stdout } = orderRun(await stage.baton('run', file, '--json'));
    assert.deepEqual([exit, response.agent.name], [0, other.name], stdout);
    assert.deepEqual([stage.repository.read('half.txt'), stage.repository.read('whole.txt')], ['half', 'whole']);
    const told = second?.served[0]?.text ?? '';
    for (const word of ['The moon is full', 'half.txt', 'whole.txt']) assert.match(told, new RegExp(word));
    assert.deepEqual(stage.left(), NOTHING_LEFT);
  });
}
