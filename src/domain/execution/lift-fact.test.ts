import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import type { Order } from '../order/order.ts';
import type { Fact } from './fact.ts';
import { liftFact, storedFact } from './lift-fact.ts';

const order = anOrder({
  settings: { onQuota: { usual: 'ask', ofAgent: {} }, prices: {}, questionTimeoutMs: 5_000 },
});
const ordered: Fact = { kind: 'ordered', order, message: null, at: 1 };

/** The same with the policy as versions before 5 spell it. */
function asBefore<Some extends Pick<Order, 'policy'>>(some: Some): object {
  const { requireResult, ...policy } = some.policy;
  return { ...some, policy: { ...policy, requireFinalSignal: requireResult } };
}

test('a fact of this version is read as it was written', () => {
  assert.deepEqual(liftFact(storedFact(ordered)), ordered);
});

test('an order of version 2 did not record its settings and gets the built-in ones', () => {
  const { settings: _, ...older } = order;
  const lifted = liftFact({ ...ordered, order: asBefore(older), v: 2 } as { readonly v: number });
  const settings = { onQuota: { usual: 'wait', ofAgent: {} }, prices: {}, questionTimeoutMs: 600_000 };
  assert.deepEqual(lifted, { ...ordered, order: { ...older, settings } });
});

test('facts up to version 3 spell as AOP does', () => {
  const validation = { command: 'true', expects: 'EXIT_CODE_0' };
  const output = {
    type: 'FILE',
    path: 'a',
    description: '',
    validation,
    snapshot: { strategy: 'GIT_STASH', path: null },
  };
  const checkpoint = { id: 'C', description: '', artifacts: [output], validation, onFailure: 'SKIP' };
  const { versionsRead: _, ...target } = order.target;
  const older = {
    ...order,
    target: { ...target, aopVersions: ['1.0'] },
    outputs: [output],
    phases: [{ id: 'P', position: 0, label: '', objective: '', checkpoints: [checkpoint] }],
    alternatives: [{ provider: 'OTHER', model: 'm', trigger: 'FIRST_ERROR' }],
    policy: {
      ...order.policy,
      onFailure: 'ABORT_SESSION',
      heartbeat: { ...order.policy.heartbeat, onFailure: 'WARN' },
    },
  };
  const lift = (fact: object) => liftFact({ ...fact, v: 3 });
  const lifted = lift({ ...ordered, order: older, notes: { warnings: [], fallback: { reason: 'AGENT_LACKS_V2' } } });
  assert.ok(lifted.kind === 'ordered');
  const [kept] = lifted.order.outputs;
  assert.deepEqual([kept?.validation?.expects, kept?.snapshot?.strategy], ['exit-code-0', 'git-stash']);
  const [point] = lifted.order.phases[0]?.checkpoints ?? [];
  assert.deepEqual([point?.validation?.expects, point?.artifacts, point?.onFailure], ['exit-code-0', [kept], 'skip']);
  assert.deepEqual(lifted.order.target, { ...target, versionsRead: ['1.0'] });
  const { alternatives, policy } = lifted.order;
  assert.deepEqual(
    [alternatives[0]?.trigger, policy.onFailure, policy.heartbeat.onFailure, lifted.notes?.fallback?.reason],
    ['first-error', 'abort-session', 'warn', 'unread-version'],
  );
  const made = lift({ kind: 'verified', made: [{ expects: 'NO_MATCH' }] });
  assert.deepEqual(made.kind === 'verified' && made.made, [{ expects: 'no-match' }]);
  const saved = lift({ kind: 'snapshotted', files: [{ strategy: 'DIFF' }], made: [] });
  assert.deepEqual(saved.kind === 'snapshotted' && saved.files, [{ strategy: 'diff' }]);
  const agents = [{ name: 'a', aopVersions: null }];
  assert.deepEqual(lift({ kind: 'admitted', agents, fallback: { reason: 'V2_SCHEMA_VALIDATION_FAILED' } }), {
    kind: 'admitted',
    agents: [{ name: 'a', versionsRead: null }],
    fallback: { reason: 'invalid-message' },
  });
});

test('facts up to version 4 spell verdicts, claims and statuses as AOP does', () => {
  const lift = (fact: object) => liftFact({ ...fact, v: 4 }) as unknown as Record<string, Record<string, unknown>>;
  assert.deepEqual(lift({ ...ordered, order: asBefore(order) }).order, order);

  const verdictOf = (signal: string, isUnchecked: boolean) =>
    lift({ kind: 'settled', outcome: { signal, isUnchecked, code: null }, at: 1 }).outcome;
  assert.deepEqual(verdictOf('SUCCESS', false), { verdict: 'checked', code: null });
  assert.deepEqual(verdictOf('PARTIAL_SUCCESS', true), { verdict: 'unchecked', code: null });
  assert.deepEqual(verdictOf('PARTIAL_SUCCESS', false), { verdict: 'partial', code: null });
  assert.deepEqual(verdictOf('FAILURE', false), { verdict: 'failed', code: null });
  assert.deepEqual(verdictOf('ABORTED', false), { verdict: 'aborted', code: null });
  assert.throws(() => verdictOf('VICTORY', false), /unknown word VICTORY/);

  const claimed = (signal: string | null) =>
    lift({ kind: 'ended', end: { kind: 'finished', claim: { signal, text: 't' } } }).end?.claim;
  assert.deepEqual(
    ['SUCCESS', 'PARTIAL_SUCCESS', 'FAILURE', 'ABORTED', null].map(claimed),
    ['done', 'partial', 'failed', 'aborted', null].map((result) => ({ text: 't', result })),
  );
  assert.deepEqual(lift({ kind: 'ended', end: { kind: 'finished', claim: null } }).end, {
    kind: 'finished',
    claim: null,
  });
  assert.deepEqual(lift({ kind: 'ended', end: { kind: 'lost' } }).end, { kind: 'lost' });

  assert.deepEqual(lift({ kind: 'collected', changed: [{ path: 'a', status: 'DELETED' }] }).changed, [
    { path: 'a', status: 'deleted' },
  ]);
  assert.deepEqual(lift({ kind: 'rolled-back', trigger: 'TASK_FAILED', files: [{ path: 'a', status: 'SUCCESS' }] }), {
    kind: 'rolled-back',
    trigger: 'failed',
    files: [{ path: 'a', status: 'restored' }],
  });
});

test('a report of version 4 is lifted as a whole', () => {
  const report = {
    verdict: 'PARTIAL_SUCCESS',
    isUnchecked: true,
    code: null,
    files: [{ path: 'a', status: 'UNCHANGED' }],
    checkpoints: [{ id: 'C', status: 'SKIP' }],
    rollback: [{ path: 'b', status: 'FAILED' }],
    claim: { signal: 'SUCCESS', message: 'm' },
  };
  assert.deepEqual(liftFact({ kind: 'reported', report, v: 4 } as object), {
    kind: 'reported',
    report: {
      verdict: 'unchecked',
      code: null,
      files: [{ path: 'a', status: 'unchanged' }],
      checkpoints: [{ id: 'C', status: 'skipped' }],
      rollback: [{ path: 'b', status: 'failed' }],
      claim: { message: 'm', result: 'done' },
    },
  });
});

test('version 1 left out what was not known', () => {
  assert.deepEqual(liftFact({ kind: 'settled', outcome: null, at: 1 } as object), {
    kind: 'settled',
    outcome: null,
    at: 1,
    keepsFiles: false,
  });
});

test('a fact of a newer Baton is not read', () => {
  assert.throws(() => liftFact({ ...ordered, v: 99 } as { readonly v: number }), /newer Baton/);
});
