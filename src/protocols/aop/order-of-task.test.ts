import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sampleTask } from '../../../test/support/message/aop-samples.ts';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { order, TARGET, withTask } from '../../../test/support/order/order-of-message.ts';
import type { TaskMessage } from './schema/task.ts';

test('a TASK that says only what it must has every default', () => {
  const target = {
    agentName: 'swe-backend',
    provider: 'CODEX',
    model: 'gpt',
    profile: null,
    isHeadless: true,
    versionsRead: null,
  } as const;
  const access = { readPaths: ['/work'], writePaths: ['/work'], readOnlyPaths: [], network: 'RESTRICTED' } as const;
  const bounds = { allow: [], network: 'RESTRICTED' } as const;
  assert.deepEqual(order({}), anOrder({ category: 'CODE_GENERATION', target, access, bounds, workspaceRoot: '/work' }));
});

test('null is as absent in every optional field', () => {
  const nulls = {
    target: { ...TARGET, execution_profile: null, capabilities: null },
    execution_policy: null,
    guard_rails: null,
    phases: null,
    task: {
      ...sampleTask().task,
      parent_task_id: null,
      attempt: null,
      priority: null,
      inputs: null,
      expected_outputs: null,
      constraints: null,
      budgets: null,
      access: null,
    },
  };
  assert.deepEqual(order(nulls), order({}));
  const within = {
    target: {
      ...TARGET,
      capabilities: {
        aop_versions_supported: null,
        file_system_access: null,
        network_access: null,
        headless_mode: null,
      },
    },
    execution_policy: { timeout_seconds: null, alternative_models: null, heartbeat: null },
    guard_rails: { timeout_seconds: null },
    task: {
      ...sampleTask().task,
      constraints: { read_only_mode: null, network_access: null, delegation_allowed: null },
      budgets: { max_cost_usd: null },
      access: { filesystem: null, network: null },
    },
  };
  assert.deepEqual(order(within), order({}));
});

describe('what the TASK says is taken over', () => {
  test('priority, parent, target and delegation', () => {
    const found = order({
      target: {
        ...TARGET,
        execution_profile: 'thorough',
        capabilities: { headless_mode: false, aop_versions_supported: ['1.x'] },
      },
      task: {
        ...sampleTask().task,
        priority: 'CRITICAL',
        parent_task_id: 'T-0',
        constraints: { delegation_allowed: true },
      },
    });
    assert.equal(found.priority, 'critical');
    assert.equal(found.parentTaskId, 'T-0');
    assert.equal(found.isDelegationAllowed, true);
    assert.equal(found.target.profile, 'thorough');
    assert.equal(found.target.isHeadless, false);
    assert.deepEqual(found.target.versionsRead, ['1.x']);
  });

  test('guard_rails win over execution_policy, which wins over the default of the agent', () => {
    const agent = {
      name: 'swe-backend',
      driver: 'process',
      provider: 'CODEX',
      model: 'gpt',
      timeoutSeconds: 7,
    } as const;
    const timeout = (message: Partial<TaskMessage>) => order(message, { agents: [agent] }).policy.timeoutSeconds;
    assert.equal(timeout({}), 7);
    assert.equal(timeout({ execution_policy: { timeout_seconds: 8 } }), 8);
    assert.equal(timeout({ execution_policy: { timeout_seconds: 8 }, guard_rails: { timeout_seconds: 9 } }), 9);
    assert.equal(order({}).policy.timeoutSeconds, 1_800);
  });

  test('the whole policy', () => {
    const { policy } = order({
      execution_policy: {
        max_retries: 2,
        retry_backoff_seconds: [1],
        abort_on_first_critical_error: true,
        auto_terminate_on_timeout: false,
        on_failure: 'RETRY',
        heartbeat: { enabled: true, interval_seconds: 5, max_missed_beats: 2, on_heartbeat_failure: 'WARN' },
      },
      guard_rails: { require_minimal_report: false, require_final_signal: false, auto_terminate_on_timeout: true },
    });
    assert.deepEqual(policy, {
      timeoutSeconds: 1_800,
      autoTerminateOnTimeout: true,
      abortOnFirstCriticalError: true,
      retriesMax: 2,
      retryBackoffSeconds: [1],
      onFailure: 'retry',
      heartbeat: { enabled: true, intervalSeconds: 5, missedBeatsMax: 2, onFailure: 'warn' },
      requireMinimalReport: false,
      requireResult: false,
    });
  });

  test('the smaller of budgets and constraints, and the alternatives in order', () => {
    const constraints = { max_cost_usd: 0.4, max_tokens: 20 };
    const { budget } = withTask({ budgets: { max_cost_usd: 0.5, max_tokens: 10 }, constraints });
    assert.deepEqual(budget, { costUsdMax: 0.4, tokensMax: 10 });
    const triggers = ['TIMEOUT', 'ALL_ERRORS', 'CRITICAL_ERROR', 'FIRST_ERROR', 'COST_LIMIT_EXCEEDED'] as const;
    const alternative_models = triggers.map((fallback_trigger, at) => {
      return { provider: 'GEMINI', model: `g-${at}`, fallback_trigger } as const;
    });
    assert.deepEqual(
      order({ execution_policy: { alternative_models } }).alternatives.map(({ model, trigger }) => [model, trigger]),
      [
        ['g-0', 'timeout'],
        ['g-1', 'all-errors'],
        ['g-2', 'critical-error'],
        ['g-3', 'first-error'],
        ['g-4', 'cost-limit-exceeded'],
      ],
    );
  });

  test('checks come with the order', () => {
    assert.deepEqual(order({}, { checks: ['npm test'] }).checks, ['npm test']);
  });
});

describe('phases', () => {
  const phase = (phase_id: string, phase_order: number, checkpoints = {}) => ({
    phase_id,
    phase_order,
    label: phase_id,
    objective: 'o',
    ...checkpoints,
  });

  test('are sorted by phase_order, those alike as they stand, and know where they stood', () => {
    const { phases } = order({ phases: [phase('C', 3), phase('A', 1), phase('B', 2), phase('A2', 1)] });
    assert.deepEqual(
      phases.map(({ id, position }) => [id, position]),
      [
        ['A', 1],
        ['A2', 3],
        ['B', 2],
        ['C', 0],
      ],
    );
  });

  test('a checkpoint without a strategy aborts', () => {
    const checkpoint = { checkpoint_id: 'CP', description: 'd' };
    const validation = { command: 'true', expects: 'EXIT_CODE_0' } as const;
    const checkpoints = [
      checkpoint,
      { ...checkpoint, recovery_strategy: null },
      {
        ...checkpoint,
        recovery_strategy: 'SKIP' as const,
        validation,
        expected_artifacts: [{ type: 'FILE', path: 'a' }],
      },
    ];
    const { phases } = order({ phases: [phase('A', 1, { checkpoints })] });
    assert.deepEqual(phases[0]?.checkpoints, [
      { id: 'CP', description: 'd', artifacts: [], validation: null, onFailure: 'abort' },
      { id: 'CP', description: 'd', artifacts: [], validation: null, onFailure: 'abort' },
      {
        id: 'CP',
        description: 'd',
        artifacts: [{ type: 'FILE', path: 'a', description: '', validation: null, snapshot: null }],
        validation: { command: 'true', expects: 'exit-code-0' },
        onFailure: 'skip',
      },
    ]);
  });
});
