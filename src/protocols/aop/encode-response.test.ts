import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
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
  attemptOf,
  collected,
  ended,
  FINISHED,
  failedBy,
  leased,
  result,
  verified,
} from '../../../test/support/run/an-execution.ts';
import { playedOrders, playedRemoteOrders } from '../../../test/support/run/play-order.ts';
import { SEED } from '../../../test/support/seed.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import type { Checkpoint, Order } from '../../domain/order/order.ts';
import { aopCode, FINAL_SIGNALS } from './words.ts';

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

test('the extensions of an agent are kept, and x_baton is Baton’s own', () => {
  const own = claiming({ extensions: { x_team: 'red', x_baton: { unchecked: false } } });
  const message = response(anOrder(), [attemptOf('r1', own), settled({ verdict: 'unchecked' })]);
  assert.equal(message.extensions?.x_team, 'red');
  assert.equal(baton(message).unchecked, true);
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
    const failure = settled({ verdict: 'failed', code: 'timeout', message: 'too slow' });
    assert.deepEqual(statuses(order, [attemptOf('r1', failedBy('timeout')), failure]), [['CP', 'PENDING']]);
    assert.deepEqual(statuses(order, [settled({ verdict: 'aborted', message: 'stopped by operator' })]), [
      ['CP', 'PENDING'],
    ]);
  });
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
    const code = execution.outcome?.code ?? null;
    assert.equal(message.error_details?.error_code ?? null, code && aopCode(code));
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
