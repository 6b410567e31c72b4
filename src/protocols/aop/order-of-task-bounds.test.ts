import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sampleTask } from '../../../test/support/message/aop-samples.ts';
import { order, TARGET, withTask } from '../../../test/support/order/order-of-message.ts';
import type { Order } from '../../domain/order/order.ts';
import { POLICY_DEFAULTS } from '../../domain/order/policy.ts';
import type { TaskMessage } from './schema/task.ts';

type Level = Order['access']['network'];

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
