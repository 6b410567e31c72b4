import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  admitted,
  attemptOf,
  collected,
  ended,
  executionOf,
  FINISHED,
  failedBy,
  leased,
  NO_SPEND,
  replayed,
  requeued,
  result,
  rolledBack,
  settledBy,
  snapshotted,
  verified,
} from '../../../test/support/an-execution.ts';
import { anOrder } from '../../../test/support/an-order.ts';
import { sampleResponse } from '../../../test/support/aop-samples.ts';
import { playedOrders, playedRemoteOrders } from '../../../test/support/play-order.ts';
import { SEED } from '../../../test/support/seed.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { AttemptEnd, Fact, Outcome, VersionFallback } from '../../domain/execution/fact.ts';
import type { Claim } from '../../domain/execution/findings.ts';
import { makeReport, type ReportSurroundings } from '../../domain/execution/make-report.ts';
import { AOP_RESPONSE_BYTES_MAX } from '../../domain/message-limits.ts';
import type { Checkpoint, Order } from '../../domain/order.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import type { Warning } from '../../domain/warning.ts';
import { byteLength } from '../text-size.ts';
import { decodeClaim } from './agent-signals.ts';
import { decodeAop } from './decode.ts';
import { encodeAop } from './encode.ts';
import { encodeResponse } from './encode-response.ts';
import type { ResponseMessage } from './schema/response.ts';
import { FINAL_SIGNALS } from './words.ts';

const ABOUT: ReportSurroundings = {
  agent: { name: 'emma', provider: 'CODEX', model: 'gpt' },
  startedAt: Date.UTC(2026, 1, 26, 12, 35, 1),
  completedAt: Date.UTC(2026, 1, 26, 12, 40, 32, 500),
  task: 'TASK-2026-02-26-001',
  receipt: 'runs/r1/receipt.json',
  measured: [],
};

function settled(some: Partial<Outcome>): Fact {
  const outcome: Outcome = {
    verdict: 'checked',
    code: null,
    message: 'every check passed',
    attempts: [],
    ...some,
  };
  return settledBy(outcome);
}

function warning(message: string): Warning {
  return { kind: 'limit', code: null, path: null, message };
}

/** The answer, which is valid and within its size whatever happened. */
function response(
  order: Order,
  facts: readonly (Fact | readonly Fact[])[],
  about: Partial<ReportSurroundings> = {},
): ResponseMessage {
  const message = responseOf(executionOf(order, ...facts), { ...ABOUT, ...about });
  return held(message);
}

function responseOf(execution: Execution, about: ReportSurroundings): ResponseMessage {
  return encodeResponse(execution.order, makeReport(execution, about));
}

function held(message: ResponseMessage): ResponseMessage {
  const text = encodeAop(message);
  assert.ok(byteLength(text) <= AOP_RESPONSE_BYTES_MAX, `${byteLength(text)} bytes`);
  const verdict = decodeAop(text);
  assert.equal(verdict.verdict, 'accepted', JSON.stringify(verdict).slice(0, 1_000));
  return JSON.parse(text) as ResponseMessage;
}

function baton(message: ResponseMessage): Record<string, unknown> {
  return message.extensions?.x_baton as Record<string, unknown>;
}

function claiming(some: Partial<ResponseMessage>, result: Claim['result'] = 'done'): AttemptEnd {
  const message = { ...sampleResponse(), ...some };
  const claim = { ...decodeClaim(message, JSON.stringify(message)), result, code: null, message: 'done' };
  return { kind: 'finished', claim };
}

const checkpoint = (id: string, onFailure: Checkpoint['onFailure'] = 'abort'): Checkpoint => ({
  id,
  description: `about ${id}`,
  artifacts: [],
  validation: null,
  onFailure,
});
const phases = (...checkpoints: readonly Checkpoint[]) => [
  { id: 'P', position: 0, label: 'l', objective: 'o', checkpoints },
];
const output = (path: string) => ({ type: 'FILE', path, description: 'd', validation: null, snapshot: null });

test('a run that was checked fills every field of the document', () => {
  const order = anOrder({ outputs: [output('src/a.ts'), output('/ws/same.md')], phases: phases(checkpoint('CP-1')) });
  const spend = { costUsd: 0.18, tokens: 15_700, tokensInput: 12_500, tokensOutput: 3_200, tier: 'standard' };
  const own = claiming({
    execution_summary: { summary: 'Did it', actions: ['Wrote it'], warnings: ['slow'] },
    cost_tracking: { estimated_cost_usd: 0.15 },
  });
  const message = response(
    order,
    [
      leased('r1'),
      ended('r1', own, { spend, progress: { at: Date.UTC(2026, 1, 26, 12, 38, 30), percentage: 60 } }),
      collected('r1', {
        changed: [
          { path: 'notes.txt', status: 'deleted', sha256: null, sizeBytes: null },
          { path: 'src/a.ts', status: 'updated', sha256: 'abc', sizeBytes: 8_432 },
        ],
      }),
      verified('r1', [
        result('src/a.ts', { kind: 'output' }),
        result('CP-1', { kind: 'checkpoint', command: 'tsc', message: 'exit 0', tail: 'Compilation successful.' }),
      ]),
      settled({}),
    ],
    { measured: [{ path: 'same.md', sha256: 'def', sizeBytes: 3 }] },
  );
  assert.deepEqual(message, {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'RESPONSE',
    session_id: 'AOP-SESSION-1',
    task_id: 'T-1',
    agent: { name: 'emma', provider: 'CODEX', model: 'gpt' },
    task_status: { state: 'COMPLETED', final_signal: 'SUCCESS', message: 'every check passed' },
    execution_summary: {
      summary: 'Did it',
      actions: ['Wrote it'],
      output_artifacts: [
        { type: 'FILE', path: '/ws/src/a.ts', hash: 'sha256:abc', status: 'UPDATED', size_bytes: 8_432 },
        { type: 'FILE', path: '/ws/same.md', hash: 'sha256:def', status: 'UNCHANGED', size_bytes: 3 },
        { type: 'FILE', path: '/ws/notes.txt', hash: null, status: 'DELETED', size_bytes: null },
      ],
      warnings: ['the agent: slow'],
      errors: [],
    },
    checkpoint_results: [
      {
        checkpoint_id: 'CP-1',
        status: 'PASS',
        validation_output: 'Compilation successful.',
        evidence: ['tsc → exit 0', 'exit 0'],
        notes: 'checked by Baton: about CP-1',
      },
    ],
    error_details: null,
    timing: {
      started_at: '2026-02-26T12:35:01.000Z',
      completed_at: '2026-02-26T12:40:32.500Z',
      duration_seconds: 331.5,
      retries_attempted: 0,
    },
    cost_tracking: {
      estimated_cost_usd: 0.15,
      actual_cost_usd: 0.18,
      tokens_input: 12_500,
      tokens_output: 3_200,
      model_pricing_tier: 'standard',
    },
    progress_log: { last_progress_event_at: '2026-02-26T12:38:30.000Z', progress_percentage: 60 },
    extensions: {
      x_baton: {
        task: 'TASK-2026-02-26-001',
        run: 'r1',
        unchecked: false,
        checks: [
          { id: 'src/a.ts', before: null, after: 'passed', change: 'passed' },
          { id: 'CP-1', before: null, after: 'passed', change: 'passed' },
        ],
        receipt: 'runs/r1/receipt.json',
        agent_claim: { final_signal: 'SUCCESS', error_code: null, message: 'done' },
        agent_report: null,
        written_by_baton: false,
        violations: [],
        executed_by_git: [],
        not_looked_at: [],
        git_changes: [],
        ignored_changes: [],
        sandbox: 'bubblewrap',
        workplace: 'in-place',
        commits: { before: null, after: null },
        rolled_back: [],
      },
    },
  });
});

describe('an agent that gave no answer', () => {
  const message = response(anOrder(), [
    leased('r1'),
    ended('r1', FINISHED),
    collected('r1', { changed: [{ path: 'a.ts', status: 'created', sha256: 'x', sizeBytes: 1 }] }),
    verified('r1', [result('npm test')]),
    settled({}),
  ]);
  test('has its answer written by Baton, which says so', () => {
    assert.equal(
      message.execution_summary?.summary,
      'Written by Baton from what it saw: every check passed. Files changed: 1; 1 of 1 checks passed.',
    );
    assert.deepEqual(message.execution_summary?.actions, [
      'Run 1 by emma: it ended by itself.',
      'Checked check npm test: passed, exit 0.',
      'Created /ws/a.ts.',
    ]);
    assert.equal(baton(message).written_by_baton, true);
    assert.equal(baton(message).agent_claim, null);
  });
  test('is presumed to be through with it', () => {
    assert.deepEqual(message.progress_log, { last_progress_event_at: null, progress_percentage: 100 });
  });
});

test('an agent that answers without a report has its words written by Baton', () => {
  const silent = claiming({ execution_summary: { summary: '', actions: [] } });
  const message = response(anOrder(), [attemptOf('r1', silent), settled({ verdict: 'unchecked' })]);
  assert.match(message.execution_summary?.summary ?? '', /^Written by Baton/);
  assert.equal(baton(message).written_by_baton, true);
});

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
      settled({ verdict: 'failed', code: 'E_UNKNOWN', message: 'exit 1' }),
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
      settled({ verdict: 'failed', code: 'E_PERMISSION_DENIED', message: 'it wrote' }),
    ]);
    assert.deepEqual(baton(message).violations, ['/ws/.git/config']);
    assert.match(message.execution_summary?.errors?.[1] ?? '', /\.git\/config, which was not granted/);
  });
});

describe('checkpoints', () => {
  const statuses = (order: Order, facts: readonly (Fact | readonly Fact[])[]) =>
    response(order, facts).checkpoint_results?.map(({ checkpoint_id, status }) => [checkpoint_id, status]);
  const kind = 'checkpoint' as const;

  test('are PASS, FAIL or SKIP by what was found and by their strategy', () => {
    const order = anOrder({
      phases: phases(
        checkpoint('passed'),
        checkpoint('continues', 'continue'),
        checkpoint('skips', 'skip'),
        checkpoint('broken', 'continue'),
        checkpoint('nothing'),
      ),
    });
    const results = [
      result('passed', { kind }),
      result('continues', { kind, result: 'failed', exitCode: 1 }),
      result('skips', { kind, result: 'failed', exitCode: 1 }),
      result('broken', { kind, result: 'could-not-run', exitCode: null }),
      result('nothing', { kind, result: 'not-checkable', command: null }),
    ];
    assert.deepEqual(statuses(order, [attemptOf('r1', FINISHED, results), settled({ verdict: 'partial' })]), [
      ['passed', 'PASS'],
      ['continues', 'FAIL'],
      ['skips', 'SKIP'],
      ['broken', 'FAIL'],
      ['nothing', 'SKIP'],
    ]);
  });
  test('are PENDING where the last run was not verified', () => {
    const order = anOrder({ phases: phases(checkpoint('CP')) });
    const failure = settled({ verdict: 'failed', code: 'E_TIMEOUT', message: 'too slow' });
    assert.deepEqual(statuses(order, [attemptOf('r1', failedBy('E_TIMEOUT')), failure]), [['CP', 'PENDING']]);
    assert.deepEqual(statuses(order, [settled({ verdict: 'aborted', message: 'stopped by operator' })]), [
      ['CP', 'PENDING'],
    ]);
  });
});

describe('a failure', () => {
  test('tells every attempt with its own error, and what to do about each', () => {
    const order = anOrder({ alternatives: [{ provider: 'GEMINI', model: 'g', trigger: 'first-error' }] });
    const message = response(order, [
      attemptOf('r1', failedBy('E_TIMEOUT', 'too slow')),
      requeued({ alternative: 0 }),
      leased('r2', { alternative: 0, agent: 'forge' }),
      ended('r2', failedBy('E_PROCESS_CRASH', 'exit 3')),
      collected('r2'),
      settled({ verdict: 'failed', code: 'E_ALL_MODELS_EXHAUSTED', message: 'every model failed' }),
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
    const execution = replayed(anOrder(), [
      settled({ verdict: 'failed', code: 'E_FILE_NOT_FOUND', message: 'no a.ts' }),
    ]);
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
    ended('r1', failedBy('E_TIMEOUT')),
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
    settled({ verdict: 'failed', code: 'E_ROLLBACK_FAILED', message: 'could not put back' }),
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
    ended('r1', failedBy('E_TIMEOUT'), { spend: spend(0.1, 'batch') }),
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
    settled({ verdict: 'failed', code: 'E_UNKNOWN' }),
  ]);
  assert.deepEqual(baton(held(responseOf(execution, ABOUT))).checks, [
    { id: 'npm test', before: 'failed', after: 'passed', change: 'fixed' },
    { id: 'tsc', before: 'passed', after: 'failed', change: 'new failure' },
  ]);
});

describe('an answer is never too large', () => {
  const long = '\u0001'.repeat(200_000);
  test('with texts and lists beyond all measure', () => {
    const checkpoints = Array.from({ length: 3_000 }, (_, at) => checkpoint(`CP-${at}`, 'continue'));
    const results = checkpoints.map(({ id }) =>
      result(id, { kind: 'checkpoint', result: 'failed', message: long.slice(0, 5_000), tail: long.slice(0, 8_000) }),
    );
    const changed = Array.from({ length: 20_000 }, (_, at) => {
      return { path: `${'x'.repeat(200)}/${at}`, status: 'created', sha256: 'f'.repeat(64), sizeBytes: at } as const;
    });
    const message = response(anOrder({ phases: phases(...checkpoints) }), [
      leased('r1'),
      ended('r1', claiming({ execution_summary: { summary: 's', actions: ['😀'.repeat(100_000)] } }), {
        warnings: [warning(long)],
      }),
      collected('r1', { changed, violations: changed.map(({ path }) => path) }),
      verified('r1', results),
      settled({ verdict: 'partial', message: long }),
    ]);
    assert.match(message.execution_summary?.warnings?.[0] ?? '', /^E_PAYLOAD_SIZE_WARNING/);
    assert.ok((message.checkpoint_results?.length ?? 0) >= 5);
  });
  test('and is whole where it fits', () => {
    const actions = ['x'.repeat(300_000)];
    const own = claiming({ execution_summary: { summary: 's', actions } });
    const message = response(anOrder(), [attemptOf('r1', own), settled({})]);
    assert.deepEqual(message.execution_summary?.actions, actions);
  });
});

test(`whatever becomes of an order, its answer is valid and says what was found (seed ${SEED})`, () => {
  const check = fc.property(playedOrders, ({ execution }) => {
    const message = held(responseOf(execution, ABOUT));
    assert.equal(message.task_status.final_signal, FINAL_SIGNALS[execution.outcome?.verdict ?? 'failed']);
    assert.equal(message.error_details?.error_code ?? null, execution.outcome?.code);
    assert.equal(message.checkpoint_results?.length, execution.order.phases[0]?.checkpoints.length);
  });
  fc.assert(check, { seed: SEED, numRuns: 300 });
});

test(`the answer to an order on another node is valid, too (seed ${SEED})`, () => {
  const check = fc.property(playedRemoteOrders, ({ execution }) => {
    const message = held(responseOf(execution, ABOUT));
    assert.equal(message.task_status.final_signal, FINAL_SIGNALS[execution.outcome?.verdict ?? 'failed']);
  });
  fc.assert(check, { seed: SEED, numRuns: 300 });
});
