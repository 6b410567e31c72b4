import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Order } from '../../../src/domain/order/order.ts';
import { type JoinedNode, NodeStage } from '../../support/federation/joined-nodes.ts';
import { linesOf } from '../../support/run-baton.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = new NodeStage('sent-task');

interface Response {
  readonly message_type: string;
  readonly session_id: string;
  readonly task_id: string;
  readonly task_status: { readonly final_signal: string };
}

describe('an AOP TASK on another node', { concurrency: 1, skip: noBubblewrap }, () => {
  let left: JoinedNode;
  let right: JoinedNode;
  let tasks = 0;
  before(async () => {
    ({ left, right } = await stage.leftAndRight());
    const git = (...args: string[]) => execFileSync('git', args, { cwd: left.workspace });
    git('init', '-q');
    writeFileSync(join(left.workspace, 'given.txt'), 'given\n');
    writeFileSync(join(left.workspace, 'kept.txt'), 'kept\n');
  });

  /** Writes a TASK with two phases into a file; its workspace is that of `left`. */
  function taskFile(more: object = {}, { agent = 'critic', objective = '@demo think of it' } = {}): string {
    const task = {
      ...{ aop_version: '2.0.2-C', schema_version: '2.0.2', protocol_family: 'AOP', message_type: 'TASK' },
      session: { session_id: 'spring', created_at: '2026-02-25T16:00:00.000Z', orchestrator: 'x', origin: 'API' },
      target: { agent_name: agent, role: 'EXECUTOR', provider: 'LOCAL', model: 'demo' },
      task: {
        ...{ task_id: `clean-${++tasks}`, objective, category: 'OTHER', complexity: 'LOW' },
        environment: { workspace_root: left.workspace, git_branch: 'elsewhere' },
        inputs: [{ type: 'FILE', path: join(left.workspace, 'kept.txt') }],
        expected_outputs: [
          {
            ...{ type: 'FILE', path: join(left.workspace, 'made/out.txt'), description: 'it' },
            validation: { command: 'grep -q made made/out.txt', expects: 'EXIT_CODE_0' },
          },
        ],
        ...more,
      },
      phases: [
        { phase_id: 'one', phase_order: 1, label: 'one', objective: '@demo write made/out.txt made' },
        { phase_id: 'two', phase_order: 2, label: 'two', objective: '@demo append given.txt more' },
      ],
    };
    const file = join(stage.folder, `task-${tasks}.json`);
    writeFileSync(file, JSON.stringify(task));
    return file;
  }

  function ordersThere(): Order[] {
    const rows = right.rows<{ fact: string }>('SELECT fact FROM run_facts WHERE number = 1 ORDER BY task_id');
    return rows.map(({ fact }) => (JSON.parse(fact) as { order: Order }).order);
  }

  test('runs there with its outputs and phases, and its RESPONSE and work come back', async () => {
    const run = await left.run(['run', taskFile(), '--on', 'right', '--json']);
    assert.equal(run.status, 0, run.stderr + run.stdout);
    const response = linesOf<Response>(run).at(-1);
    assert.ok(response);
    const { message_type, session_id, task_id } = response;
    assert.deepEqual(
      [message_type, session_id, task_id, response.task_status.final_signal],
      ['RESPONSE', 'spring', 'clean-1', 'SUCCESS'],
    );
    const [there] = ordersThere();
    assert.deepEqual(
      [there?.target.agentName, there?.outputs[0]?.path, there?.phases.length],
      ['critic', 'made/out.txt', 2],
    );
    assert.notEqual(there?.sessionId, 'spring', 'a session there may have the same name');
    assert.equal((await left.run(['apply', '@'])).status, 0);
    assert.equal(readFileSync(join(left.workspace, 'given.txt'), 'utf8'), 'given\nmore\n');
    assert.equal(readFileSync(join(left.workspace, 'made/out.txt'), 'utf8'), 'made\n');
    assert.equal((await left.run(['receipt', 'verify', '@'])).status, 0);
  });

  test('goes to the node that its target names, by baton run and by baton send', async () => {
    const run = await left.run(['run', taskFile({}, { agent: 'critic@right' }), '--json']);
    assert.equal(run.status, 0, run.stderr + run.stdout);
    assert.equal((await left.task()).remote?.node, 'right');
    const sent = await left.run(['send', taskFile({}, { agent: 'critic@right' })]);
    assert.equal(sent.status, 0, sent.stderr + sent.stdout);
    assert.equal((await left.taskIs('done')).remote?.node, 'right');
  });

  test('its guard rails hold there', async () => {
    const bounds = {
      access: {
        filesystem: { read_paths: [left.workspace], write_paths: [join(left.workspace, 'made')] },
        network: 'NONE',
      },
      budgets: { max_cost_usd: 0.5, max_tokens: 1_000 },
      constraints: { delegation_allowed: true },
    };
    const run = await left.run(['run', taskFile(bounds), '--on', 'right', '--json', '--retries', '0']);
    assert.equal(run.status, 1, run.stderr + run.stdout);
    const there = ordersThere().at(-1);
    assert.ok(there);
    const { access, budget, isDelegationAllowed, isSandboxDemanded } = there;
    assert.deepEqual([access.network, access.writePaths], ['NONE', ['made']]);
    assert.deepEqual(
      [budget.costUsdMax, budget.tokensMax, isDelegationAllowed, isSandboxDemanded],
      [0.5, 1_000, false, true],
    );
    assert.doesNotMatch((await left.run(['diff', '@'])).stdout, /given\.txt/, 'it may write into one folder only');
  });

  test('one that names other places of this machine, or an agent that is not there, does not run', async () => {
    const outside = { inputs: [{ type: 'FILE', path: '/etc/hostname' }] };
    const run = await left.run(['run', taskFile(outside), '--on', 'right']);
    assert.equal(run.status, 2);
    assert.match(run.stderr, /\/etc\/hostname is not in .*, so it does not go to another node/);
    const nobody = await left.run(['run', taskFile({}, { agent: 'nobody' }), '--on', 'right']);
    assert.match(nobody.stderr + nobody.stdout, /no agent that is offered here is nobody/);
    assert.equal(nobody.status, 1);
  });
});
