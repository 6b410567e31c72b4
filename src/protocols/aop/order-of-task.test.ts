import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrder } from '../../../test/support/an-order.ts';
import { sampleTask } from '../../../test/support/aop-samples.ts';
import { someTerms } from '../../../test/support/some-terms.ts';
import type { OrderTerms } from '../../domain/decisions/decide-order.ts';
import type { Order } from '../../domain/order.ts';
import { POLICY_DEFAULTS } from '../../domain/policy.ts';
import { orderOfTask, type TaskReading } from './order-of-task.ts';
import type { TaskMessage } from './schema/task.ts';

function order(message: Partial<TaskMessage>, terms: Partial<OrderTerms> = {}, reading: TaskReading = {}): Order {
  return orderOfTask({ ...sampleTask(), ...message }, someTerms(terms), reading);
}

function withTask(task: Partial<TaskMessage['task']>, terms: Partial<OrderTerms> = {}): Order {
  return orderOfTask(sampleTask(task), someTerms(terms));
}

const TARGET = sampleTask().target;
type Level = Order['access']['network'];

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
    const models = [
      { provider: 'GEMINI', model: 'g', fallback_trigger: 'TIMEOUT' },
      { provider: 'CLAUDE', model: 'c', fallback_trigger: 'ALL_ERRORS' },
    ] as const;
    assert.deepEqual(order({ execution_policy: { alternative_models: [...models] } }).alternatives, [
      { provider: 'GEMINI', model: 'g', trigger: 'timeout' },
      { provider: 'CLAUDE', model: 'c', trigger: 'all-errors' },
    ]);
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

test('a snapshot that is enabled is a COPY unless it says otherwise; NONE keeps nothing', () => {
  const snapshots = [
    [{ enabled: true }, { strategy: 'copy', path: null }],
    [
      { enabled: true, snapshot_strategy: null, snapshot_path: '/work/.aop_snapshots/a' },
      { strategy: 'copy', path: '/work/.aop_snapshots/a' },
    ],
    [
      { enabled: true, snapshot_strategy: 'DIFF' },
      { strategy: 'diff', path: null },
    ],
    [{ enabled: true, snapshot_strategy: 'NONE' }, null],
    [{ enabled: false, snapshot_strategy: 'COPY' }, null],
    [{}, null],
    [null, null],
  ] as const;
  for (const [rollback_snapshot, want] of snapshots) {
    const { outputs } = withTask({
      expected_outputs: [{ type: 'FILE', path: 'a', description: 'd', rollback_snapshot }],
    });
    assert.deepEqual(outputs[0]?.snapshot, want, JSON.stringify(rollback_snapshot));
  }
});

describe('inputs that may only be read', () => {
  const bound = (inputs: TaskMessage['task']['inputs'], ...outputs: string[]) =>
    withTask({ inputs, expected_outputs: outputs.map((path) => ({ type: 'FILE', path, description: 'd' })) }).access
      .readOnlyPaths;

  test('are so without being told', () => {
    assert.deepEqual(bound([{ type: 'FILE', path: 'a' }]), ['a']);
    assert.deepEqual(bound([{ type: 'DIRECTORY', path: '/work/docs', read_only: null }]), ['/work/docs']);
    assert.deepEqual(bound([{ type: 'FILE', path: 'a', read_only: false }]), []);
  });
  test('are not, where they are also expected outputs, however the path is written', () => {
    assert.deepEqual(bound([{ type: 'FILE', path: 'a', read_only: true }], '/work/./b/../a'), []);
    assert.deepEqual(bound([{ type: 'DIRECTORY', path: '/work/' }], 'a'), []);
    assert.deepEqual(bound([{ type: 'FILE', path: 'a' }], 'ab'), ['a']);
  });
  test('are no text and no address', () => {
    assert.deepEqual(
      bound([
        { type: 'TEXT', content: 'c' },
        { type: 'URL', url: 'u', path: 'p' },
      ]),
      [],
    );
  });
});

test('snapshots that are kept in the workspace are not for the agent to change', () => {
  const rollback_snapshot = { enabled: true, snapshot_path: '/work/.aop_snapshots/a' };
  const output = { type: 'FILE', path: 'a', description: 'd', rollback_snapshot };
  const { access } = withTask({ expected_outputs: [output, output] });
  assert.deepEqual(access.readOnlyPaths, ['/work/.aop_snapshots']);
});

describe('the sandbox is demanded', () => {
  const rows: [string, Partial<TaskMessage>, boolean][] = [
    ['not by a plain TASK', {}, false],
    ['by access to files', { task: { ...sampleTask().task, access: { filesystem: {} } } }, true],
    ['by access to the network', { task: { ...sampleTask().task, access: { network: 'FULL' } } }, true],
    ['not by an empty access', { task: { ...sampleTask().task, access: {} } }, false],
    [
      'by a constraint on the network',
      { task: { ...sampleTask().task, constraints: { network_access: 'NONE' } } },
      true,
    ],
    ['by read_only_mode', { task: { ...sampleTask().task, constraints: { read_only_mode: true } } }, true],
    ['not by read_only_mode false', { task: { ...sampleTask().task, constraints: { read_only_mode: false } } }, false],
    ['by capabilities with a network', { target: { ...TARGET, capabilities: { network_access: 'RESTRICTED' } } }, true],
    ['by capabilities without files', { target: { ...TARGET, capabilities: { file_system_access: false } } }, true],
    ['not by capabilities with files', { target: { ...TARGET, capabilities: { file_system_access: true } } }, false],
  ];
  for (const [name, message, want] of rows) {
    test(name, () => assert.equal(order(message).isSandboxDemanded, want));
  }
  test('by the configuration', () => assert.equal(order({}, { isSandboxDemanded: true }).isSandboxDemanded, true));
});

test('each of the three levels of network bounds the agent by itself', () => {
  const levels = (capability: Level, access: Level, constraint: Level) =>
    order({
      target: { ...TARGET, capabilities: { network_access: capability } },
      task: { ...sampleTask().task, access: { network: access }, constraints: { network_access: constraint } },
    }).access.network;
  assert.equal(levels('NONE', 'FULL', 'FULL'), 'NONE');
  assert.equal(levels('FULL', 'NONE', 'FULL'), 'NONE');
  assert.equal(levels('FULL', 'FULL', 'NONE'), 'NONE');
  assert.equal(levels('RESTRICTED', 'FULL', 'FULL'), 'RESTRICTED');
  assert.equal(levels('FULL', 'FULL', 'FULL'), 'FULL');
});

test('capabilities, access.filesystem and read_only_mode each bound the paths of the agent by themselves', () => {
  const filesystem = { read_paths: ['/w/docs'], write_paths: ['/w/out'] };
  const pathsOf = (may: boolean | undefined, grant: typeof filesystem | undefined, readOnly = false) => {
    const { task } = sampleTask();
    const constraints = { read_only_mode: readOnly };
    const { access } = order({
      target: { ...TARGET, capabilities: { file_system_access: may } },
      task: { ...task, environment: { workspace_root: '/w' }, access: { filesystem: grant }, constraints },
    });
    return [access.readPaths, access.writePaths];
  };
  assert.deepEqual(pathsOf(undefined, undefined), [['/w'], ['/w']]);
  assert.deepEqual(pathsOf(true, filesystem), [['/w/docs'], ['/w/out']]);
  assert.deepEqual(pathsOf(false, filesystem), [[], []]);
  assert.deepEqual(pathsOf(false, undefined), [[], []]);
  assert.deepEqual(pathsOf(true, filesystem, true), [['/w/docs'], []]);
});

test('a run by fallback is conservative whatever the message says', () => {
  const found = order(
    {
      target: { ...TARGET, capabilities: { network_access: 'FULL' } },
      task: {
        ...sampleTask().task,
        constraints: { delegation_allowed: true, read_only_mode: false },
        access: { filesystem: { read_paths: ['/work/a'], write_paths: ['/work/a'] }, network: 'FULL' },
        budgets: { max_cost_usd: 1 },
      },
      execution_policy: {
        timeout_seconds: 99_999,
        max_retries: 9,
        alternative_models: [{ provider: 'GEMINI', model: 'g', fallback_trigger: 'FIRST_ERROR' }],
      },
    },
    {},
    { isFallback: true },
  );
  assert.equal(found.isFallback, true);
  assert.deepEqual(found.access, { readPaths: ['/work/a'], writePaths: [], readOnlyPaths: [], network: 'RESTRICTED' });
  assert.equal(found.isDelegationAllowed, false);
  assert.equal(found.isSandboxDemanded, true);
  assert.deepEqual(found.policy, POLICY_DEFAULTS);
  assert.deepEqual(found.alternatives, []);
  assert.equal(found.budget.costUsdMax, 1);
});

test('a fallback stays as closed as it was', () => {
  const message = { task: { ...sampleTask().task, access: { network: 'NONE' as const } } };
  assert.equal(order(message, {}, { isFallback: true }).access.network, 'NONE');
});
