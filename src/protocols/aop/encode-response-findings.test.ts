import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ABOUT,
  baton,
  claiming,
  held,
  output,
  response,
  responseOf,
  settled,
  warning,
} from '../../../test/support/message/a-response.ts';
import { anOrder } from '../../../test/support/order/an-order.ts';
import {
  admitted,
  attemptOf,
  collected,
  ended,
  FINISHED,
  failedBy,
  leased,
  NO_SPEND,
  replayed,
  requeued,
  result,
  rolledBack,
  snapshotted,
  verified,
} from '../../../test/support/run/an-execution.ts';
import type { VersionFallback } from '../../domain/execution/fact.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import type { ResponseMessage } from './schema/response.ts';

describe('what a person should know', () => {
  const warnings = (message: ResponseMessage) => message.execution_summary?.warnings ?? [];

  test('not sandboxed, and what was too long, come from the admission', () => {
    const order = anOrder();
    const facts = [admitted({ warnings: [warning('not sandboxed: no bwrap')], sandbox: 'none' }), snapshotted()];
    const execution = replayed(order, [...facts, ...attemptOf('r1', FINISHED), settled({})]);
    const message = held(responseOf(execution, ABOUT));
    assert.deepEqual(warnings(message), ['not sandboxed: no bwrap']);
    assert.equal(baton(message).sandbox, 'none');
  });
  test('unchecked', () => {
    const message = response(anOrder(), [
      attemptOf('r1', FINISHED, [result('TEXT 1', { kind: 'output', result: 'not-checkable' })]),
      settled({ verdict: 'unchecked', message: 'no checks were defined' }),
    ]);
    assert.equal(message.task_status.state, 'COMPLETED');
    assert.equal(baton(message).unchecked, true);
    assert.deepEqual(warnings(message), ['unchecked: no checks were defined', 'not checked: output TEXT 1']);
  });
  test('that the agent says otherwise', () => {
    const message = response(anOrder(), [
      attemptOf('r1', claiming({}), [result('npm test', { result: 'failed', message: 'exit 1' })]),
      settled({ verdict: 'failed', code: 'unknown', message: 'exit 1' }),
    ]);
    assert.deepEqual(warnings(message), ['the agent says done, Baton found failed']);
    assert.deepEqual(message.execution_summary?.errors, ['E_UNKNOWN: exit 1', 'check npm test: failed, exit 1']);
  });
  test('that the message failed its schema, and by what', () => {
    const errors = [{ path: '/task/complexity', message: 'must be one of LOW, HIGH' }];
    const facts = [
      admitted({ fallback: { errors } as unknown as VersionFallback }),
      snapshotted(),
      ...attemptOf('r1', FINISHED),
      settled({}),
    ];
    const message = held(responseOf(replayed(anOrder({ isFallback: true }), facts), ABOUT));
    assert.deepEqual(warnings(message), [
      'VERSION_FALLBACK: the TASK failed its schema and was run as v1, with the least rights',
      'E_SCHEMA_VALIDATION: /task/complexity must be one of LOW, HIGH',
    ]);
  });
  test('what each run warned of, runs that were lost, and more actions than advised', () => {
    const many = claiming({ execution_summary: { summary: 's', actions: Array<string>(201).fill('a') } });
    const message = response(anOrder(), [
      attemptOf('r1', { kind: 'lost' }),
      requeued(),
      leased('r2'),
      ended('r2', many, { warnings: [warning('1 GB of output was cut')] }),
      collected('r2'),
      verified('r2', []),
      settled({}),
    ]);
    assert.deepEqual(warnings(message), [
      '1 GB of output was cut',
      'E_PAYLOAD_SIZE_WARNING: 201 actions, 200 are advised at most',
      '1 of 2 runs were lost because their node died',
    ]);
    assert.equal(message.timing?.retries_attempted, 0);
  });
  test('what it wrote without being granted it', () => {
    const message = response(anOrder(), [
      leased('r1'),
      ended('r1', FINISHED),
      collected('r1', { violations: ['/ws/.git/config'] }),
      verified('r1', []),
      settled({ verdict: 'failed', code: 'permission-denied', message: 'it wrote' }),
    ]);
    assert.deepEqual(baton(message).violations, ['/ws/.git/config']);
    assert.match(message.execution_summary?.errors?.[1] ?? '', /\.git\/config, which was not granted/);
  });
});

describe('a failure', () => {
  test('tells every attempt with its own error, and what to do about each', () => {
    const order = anOrder({ alternatives: [{ provider: 'GEMINI', model: 'g', trigger: 'first-error' }] });
    const message = response(order, [
      attemptOf('r1', failedBy('timeout', 'too slow')),
      requeued({ alternative: 0 }),
      leased('r2', { alternative: 0, agent: 'forge' }),
      ended('r2', failedBy('process-crashed', 'exit 3')),
      collected('r2'),
      settled({ verdict: 'failed', code: 'all-models-failed', message: 'every model failed' }),
    ]);
    assert.equal(message.task_status.state, 'FAILED');
    assert.deepEqual(message.error_details, {
      error_code: 'E_ALL_MODELS_EXHAUSTED',
      message: 'every model failed',
      stack_trace: null,
      recovery_suggestions: [
        'see how each attempt ended: baton events --task TASK-2026-02-26-001',
        REFUSALS.E_TIMEOUT.hint,
        'see its last output: baton logs TASK-2026-02-26-001',
      ],
      attempts: [
        {
          attempt: 1,
          run: 'r1',
          agent: 'emma',
          provider: 'CODEX',
          model: 'gpt',
          error_code: 'E_TIMEOUT',
          message: 'too slow',
        },
        {
          attempt: 2,
          run: 'r2',
          agent: 'forge',
          provider: 'GEMINI',
          model: 'g',
          error_code: 'E_PROCESS_CRASH',
          message: 'exit 3',
        },
      ],
    });
    assert.equal(message.timing?.retries_attempted, 1);
    assert.deepEqual(message.progress_log, { last_progress_event_at: null, progress_percentage: 0 });
  });

  test('before anything was run is answered too', () => {
    const execution = replayed(anOrder(), [settled({ verdict: 'failed', code: 'file-not-found', message: 'no a.ts' })]);
    const message = held(responseOf(execution, { ...ABOUT, receipt: null, agent: { ...ABOUT.agent, model: '' } }));
    assert.deepEqual(message.execution_summary?.actions, ['Nothing was run.']);
    assert.equal(message.agent.model, 'unknown');
    assert.deepEqual(message.error_details?.attempts, []);
  });

  test('by a person has no error', () => {
    const message = response(anOrder(), [
      attemptOf('r1', { kind: 'stopped', by: 'operator' }),
      settled({ verdict: 'aborted', message: 'stopped by operator' }),
    ]);
    assert.equal(message.task_status.state, 'ABORTED');
    assert.equal(message.error_details, null);
    assert.deepEqual(message.execution_summary?.errors, ['stopped by operator']);
  });
});

test('of a run that was taken away its outputs are told by what is known from before it', () => {
  const before = {
    outputs: [
      { path: 'a.ts', sha256: null },
      { path: 'b.ts', sha256: 'x' },
      { path: 'c.ts', sha256: 'z' },
    ],
  };
  const order = anOrder({ outputs: [output('a.ts'), output('b.ts'), output('c.ts')] });
  const facts = [
    admitted(),
    snapshotted(before),
    leased('r1'),
    settled({ verdict: 'aborted', code: null, message: 'moved' }),
  ];
  const measured = ['a.ts', 'b.ts', 'c.ts'].map((path) => ({ path, sha256: 'z', sizeBytes: 1 }));
  const told = response(order, facts, { measured }).execution_summary;
  assert.deepEqual(
    told?.output_artifacts?.map(({ status, path }) => `${status} ${path}`),
    ['CREATED /ws/a.ts', 'UPDATED /ws/b.ts', 'UNCHANGED /ws/c.ts'],
  );
});

test('what was put back is no longer told as changed', () => {
  const message = response(anOrder({ outputs: [output('a.ts')] }), [
    leased('r1'),
    ended('r1', failedBy('timeout')),
    collected('r1', {
      changed: [
        { path: 'a.ts', status: 'updated', sha256: 'x', sizeBytes: 1 },
        { path: 'b.ts', status: 'created', sha256: 'y', sizeBytes: 2 },
        { path: 'c.ts', status: 'updated', sha256: 'z', sizeBytes: 2 },
        { path: 'd/in-it.ts', status: 'created', sha256: 'z', sizeBytes: 2 },
      ],
    }),
    rolledBack({
      files: [
        { path: 'd', restoredFrom: '/data/d', status: 'restored' },
        { path: '/ws/a.ts', restoredFrom: '/data/a', status: 'restored' },
        { path: '/ws/c.ts', restoredFrom: '/data/c', status: 'failed' },
      ],
    }),
    settled({ verdict: 'failed', code: 'rollback-failed', message: 'could not put back' }),
  ]);
  assert.deepEqual(
    message.execution_summary?.output_artifacts?.map(({ path }) => path),
    ['/ws/b.ts', '/ws/c.ts'],
  );
  assert.deepEqual(message.execution_summary?.warnings, [
    'rolled back: d',
    'rolled back: /ws/a.ts',
    'could not be rolled back: /ws/c.ts',
  ]);
});

test('cost is counted over all attempts', () => {
  const spend = (costUsd: number, tier: string | null) => ({
    ...NO_SPEND,
    costUsd,
    tokensInput: 10,
    tokensOutput: 1,
    tier,
  });
  const message = response(anOrder(), [
    leased('r1'),
    ended('r1', failedBy('timeout'), { spend: spend(0.1, 'batch') }),
    collected('r1'),
    requeued(),
    leased('r2'),
    ended('r2', FINISHED, { spend: spend(0.2, null) }),
    collected('r2'),
    verified('r2', []),
    settled({}),
  ]);
  assert.deepEqual(message.cost_tracking, {
    estimated_cost_usd: 0.3,
    actual_cost_usd: 0.3,
    tokens_input: 20,
    tokens_output: 2,
    model_pricing_tier: 'batch',
  });
});

test('checks are told before and after', () => {
  const before = [result('npm test', { result: 'failed' }), result('tsc')];
  const execution = replayed(anOrder({ checks: ['npm test', 'tsc'] }), [
    admitted(),
    snapshotted({ checks: before }),
    ...attemptOf('r1', FINISHED, [result('npm test'), result('tsc', { result: 'failed' })]),
    settled({ verdict: 'failed', code: 'unknown' }),
  ]);
  assert.deepEqual(baton(held(responseOf(execution, ABOUT))).checks, [
    { id: 'npm test', before: 'failed', after: 'passed', change: 'fixed' },
    { id: 'tsc', before: 'passed', after: 'failed', change: 'new failure' },
  ]);
});
