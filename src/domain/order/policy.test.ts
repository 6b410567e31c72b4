import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backoffSeconds, type ExecutionPolicy, effectivePolicy, POLICY_DEFAULTS } from './policy.ts';

/** Fields that both places can have, each with three values to tell the sources apart. */
const SHARED = {
  timeoutSeconds: [11, 22, 1_800],
  autoTerminateOnTimeout: [false, true, true],
  abortOnFirstCriticalError: [true, false, false],
  requireMinimalReport: [false, true, true],
  requireResult: [false, true, true],
} as const;

const ABSENT = [undefined, null] as const;

describe('AOP §11.1: guard_rails win over execution_policy, which wins over the default', () => {
  for (const [key, [rails, policy, fallback]] of Object.entries(SHARED)) {
    const field = key as keyof ExecutionPolicy;
    const of = (guardRails: unknown, executionPolicy: unknown) =>
      effectivePolicy({ guardRails: { [field]: guardRails }, executionPolicy: { [field]: executionPolicy } })[field];

    it(key, () => {
      assert.equal(of(rails, policy), rails);
      assert.equal(of(policy, rails), policy);
      for (const absent of ABSENT) {
        assert.equal(of(rails, absent), rails);
        assert.equal(of(absent, rails), rails);
        assert.equal(of(absent, policy), policy);
        for (const other of ABSENT) assert.equal(of(absent, other), fallback);
      }
    });
  }

  const timeouts: [rails: number | undefined, policy: number | undefined, agent: number | undefined, want: number][] = [
    [1, 2, 3, 1],
    [1, 2, undefined, 1],
    [1, undefined, 3, 1],
    [1, undefined, undefined, 1],
    [undefined, 2, 3, 2],
    [undefined, 2, undefined, 2],
    [undefined, undefined, 3, 3],
    [undefined, undefined, undefined, 1_800],
  ];
  for (const [rails, policy, agent, want] of timeouts) {
    it(`timeout: guard_rails ${rails}, execution_policy ${policy}, agent ${agent} gives ${want}`, () => {
      const sources = { guardRails: { timeoutSeconds: rails }, executionPolicy: { timeoutSeconds: policy } };
      assert.equal(effectivePolicy({ ...sources, agentTimeoutSeconds: agent }).timeoutSeconds, want);
    });
  }

  it('nothing said gives the defaults of aop:defaults', () => {
    const want = {
      timeoutSeconds: 1_800,
      autoTerminateOnTimeout: true,
      abortOnFirstCriticalError: false,
      retriesMax: 0,
      retryBackoffSeconds: [30, 120, 300],
      onFailure: 'report-and-continue',
      heartbeat: { enabled: false, intervalSeconds: 120, missedBeatsMax: 3, onFailure: 'abort' },
      requireMinimalReport: true,
      requireResult: true,
    };
    assert.deepEqual(POLICY_DEFAULTS, want);
    for (const absent of ABSENT) {
      assert.deepEqual(effectivePolicy({ guardRails: absent, executionPolicy: absent }), want);
    }
    assert.deepEqual(effectivePolicy({}), want);
    assert.deepEqual(effectivePolicy({ executionPolicy: { heartbeat: null } }), want);
  });

  it('what only the policy has is taken from it, a heartbeat field by field', () => {
    const policy = effectivePolicy({
      executionPolicy: {
        retriesMax: 2,
        retryBackoffSeconds: [],
        onFailure: 'retry',
        heartbeat: { enabled: true, missedBeatsMax: null },
      },
    });
    assert.deepEqual([policy.retriesMax, policy.retryBackoffSeconds, policy.onFailure], [2, [], 'retry']);
    assert.deepEqual(policy.heartbeat, { enabled: true, intervalSeconds: 120, missedBeatsMax: 3, onFailure: 'abort' });
  });
});

describe('the wait before a retry', () => {
  const rows: [waits: number[], wants: number[]][] = [
    [
      [30, 120, 300],
      [30, 120, 300, 300, 300],
    ],
    [[5], [5, 5, 5]],
    [
      [0, 1],
      [0, 1, 1],
    ],
    [[], [0, 0]],
  ];
  for (const [waits, wants] of rows) {
    it(`[${waits}]: ${wants.join(', ')}, and the last for ever`, () => {
      const policy = { ...POLICY_DEFAULTS, retryBackoffSeconds: waits };
      assert.deepEqual(
        wants.map((_, at) => backoffSeconds(policy, at + 1)),
        wants,
      );
      assert.equal(backoffSeconds(policy, 1_000_000), wants.at(-1));
    });
  }
});
