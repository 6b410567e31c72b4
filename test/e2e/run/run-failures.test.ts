import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { output, RunStage, type TaskChanges, taskFor } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-failures');
const plain = join(stage.folder, 'no-program');
writeFileSync(plain, 'not a program\n');
chmodSync(plain, 0o755);
stage.configure({
  agents: { 'no-program': { driver: 'process', command: [plain], provider: 'OTHER', model: 'no-program' } },
});

const there = { task: { expected_outputs: [output('readme.md')] } };
const rails = (guard_rails: Record<string, unknown>): TaskChanges => ({ ...there, guard_rails });

interface Case {
  readonly agent: string;
  readonly code: string;
  readonly changes?: TaskChanges;
}

const FAILURES: readonly Case[] = [
  { agent: 'crashes', code: 'E_PROCESS_CRASH' },
  { agent: 'claims-success-exits-1', code: 'E_PROCESS_CRASH' },
  { agent: 'dies-after-report', code: 'E_PROCESS_CRASH' },
  { agent: 'no-program', code: 'E_PROCESS_CRASH' },
  { agent: 'runs-out-of-memory', code: 'E_PROCESS_CRASH' },
  { agent: 'is-killed', code: 'E_PROCESS_CRASH' },
  { agent: 'wrong-ids', code: 'E_MALFORMED_RESPONSE' },
  { agent: 'wrong-shape', code: 'E_MALFORMED_RESPONSE' },
  { agent: 'truncated-response', code: 'E_MALFORMED_RESPONSE' },
  { agent: 'oversized-response', code: 'E_CONTEXT_OVERFLOW' },
  { agent: 'answers-wrong-then-right', code: 'E_MALFORMED_RESPONSE' },
  { agent: 'answers-without-signal', code: 'E_MALFORMED_RESPONSE' },
  { agent: 'answers-without-report', code: 'E_MALFORMED_RESPONSE' },
  { agent: 'model-unavailable', code: 'E_MODEL_UNAVAILABLE' },
  { agent: 'writes-outside', code: 'E_UNKNOWN', changes: { task: { expected_outputs: [output('missing.txt')] } } },
  {
    agent: 'reports-cost',
    code: 'E_COST_LIMIT_EXCEEDED',
    changes: { task: { objective: 'COST 0.5', budgets: { max_cost_usd: 0.4 }, ...there.task } },
  },
  {
    agent: 'reports-cost',
    code: 'E_COST_LIMIT_EXCEEDED',
    changes: { task: { objective: 'COST 0.5', constraints: { max_tokens: 5_000 }, ...there.task } },
  },
  {
    agent: 'spends-and-stays',
    code: 'E_COST_LIMIT_EXCEEDED',
    changes: { task: { budgets: { max_cost_usd: 20, max_tokens: 9_499 }, constraints: { max_cost_usd: 9.6 } } },
  },
  {
    agent: 'demo',
    code: 'E_PERMISSION_DENIED',
    changes: { task: { objective: '@demo write ../outside.txt x' } },
  },
];

describe('how runs fail', { concurrency: 3, skip: noBubblewrap }, () => {
  for (const { agent, code, changes = there } of FAILURES) {
    test(`${agent}: FAILURE, ${code}, exit 1, and the task is blocked by it`, async () => {
      const { root } = stage.repository();
      const { exit, response, own, ...run } = await stage.run(taskFor(agent, root, changes));
      const { error_details: error, task_status: status, timing } = response;
      assert.deepEqual([exit, run.code, status.state, status.final_signal], [1, code, 'FAILED', 'FAILURE'], run.stdout);
      assert.equal(timing?.retries_attempted, 0);
      assert.ok((error?.recovery_suggestions?.length ?? 0) > 0);
      const task = await stage.daemon?.client.showTask({ task: own.task });
      assert.ok(task && !('kind' in task));
      assert.equal(task.status, 'blocked');
      assert.ok(task.reason?.startsWith(code), task.reason ?? '');
    });
  }

  test('guard rails that are switched off let the same answers pass', async () => {
    const { root } = stage.repository();
    const signal = await stage.run(taskFor('answers-without-signal', root, rails({ require_final_signal: false })));
    assert.deepEqual([signal.exit, signal.response.task_status.final_signal], [0, 'SUCCESS'], signal.stdout);
    const report = await stage.run(taskFor('answers-without-report', root, rails({ require_minimal_report: false })));
    assert.deepEqual([report.exit, report.response.task_status.final_signal], [0, 'SUCCESS'], report.stdout);
    assert.notEqual(report.response.execution_summary?.summary, '');
  });

  test('a soft limit is a warning: E_PAYLOAD_SIZE_WARNING', async () => {
    const { root } = stage.repository();
    const objective = `Do it. ${'x'.repeat(40_001)}`;
    const { exit, response } = await stage.run(taskFor('completes', root, { task: { objective, ...there.task } }));
    assert.equal(exit, 0);
    assert.match(response.execution_summary?.warnings?.join('\n') ?? '', /^E_PAYLOAD_SIZE_WARNING/m);
  });

  test('a TASK that fails its schema goes on as v1: an event, a prompt in words, an unchecked run', async () => {
    const repository = stage.repository();
    const task = taskFor('reads-v1', repository.root, { task: { category: 'NONSENSE', objective: 'Mind the words.' } });
    const { exit, events, response, own } = await stage.run(task);
    assert.equal(exit, 3, JSON.stringify(response));
    assert.equal(own.unchecked, true);
    const [fallback] = events;
    assert.equal(fallback?.event, 'VERSION_FALLBACK');
    assert.equal(fallback?.reason, 'V2_SCHEMA_VALIDATION_FAILED');
    assert.deepEqual([fallback?.session_id, fallback?.task_id], [task.session.session_id, task.task.task_id]);
    assert.match(response.execution_summary?.warnings?.join('\n') ?? '', /^E_SCHEMA_VALIDATION: \/task\/category/m);
    assert.equal(response.session_id, task.session.session_id);
    // Read-only: the prompt could not be kept.
    assert.deepEqual(Object.keys(repository.files()), ['readme.md']);
  });

  test('an agent that reads no v2 gets the prompt of a good TASK, and is held to all of it', async () => {
    const repository = stage.repository();
    const changes = {
      target: { capabilities: { aop_versions_supported: ['1.x'] } },
      task: { objective: 'Mind the words.', expected_outputs: [output('prompt.md')] },
    };
    const { exit, events, own } = await stage.run(taskFor('reads-v1', repository.root, changes));
    assert.deepEqual([exit, own.written_by_baton], [0, true]);
    assert.match(repository.read('prompt.md'), /Mind the words\./);
    assert.equal(events.find(({ event }) => event === 'VERSION_FALLBACK')?.reason, 'AGENT_LACKS_V2');
  });
});
