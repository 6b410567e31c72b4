import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TaskName } from '../task/task.ts';
import { makeSessionReport, type OrderEnd, type SessionMember, stateOf, usdBy, verdictOf } from './session-report.ts';

function end(some: Partial<OrderEnd> = {}): OrderEnd {
  return {
    verdict: 'checked',
    isSkipped: false,
    stoppedBy: null,
    code: null,
    message: '',
    agent: 'emma',
    attempts: 1,
    startedAt: 1_000,
    completedAt: 5_000,
    estimatedUsd: 0,
    spend: [],
    ...some,
  };
}

function member(id: string, some: Partial<SessionMember> = {}): SessionMember {
  return {
    id,
    task: `TASK-2026-02-09-00${id}` as TaskName,
    title: id,
    status: 'done',
    agent: 'emma',
    parent: null,
    depth: 0,
    after: [],
    runs: 1,
    round: 1,
    work: null,
    end: end(),
    earlierSpend: [],
    ...some,
  };
}

const FAILED = end({ verdict: 'failed' });
const ABORTED = end({ verdict: 'aborted' });
const SKIPPED = end({ verdict: 'aborted', isSkipped: true });
const PARTIAL = end({ verdict: 'partial' });

describe('the state of a task is Baton’s verdict on its order', () => {
  const cases: readonly [string, Partial<SessionMember>][] = [
    ['waiting', { end: null, status: 'backlog' }],
    ['waiting', { end: null, status: 'ready' }],
    ['running', { end: null, status: 'in-progress' }],
    ['completed', {}],
    ['completed', { end: PARTIAL, status: 'review' }],
    ['failed', { end: FAILED, status: 'blocked' }],
    ['aborted', { end: ABORTED, status: 'blocked' }],
    ['skipped', { end: SKIPPED, status: 'blocked' }],
  ];
  for (const [state, some] of cases) {
    test(`${some.end?.verdict ?? 'no end'}, ${some.status ?? 'done'}: ${state}`, () => {
      assert.equal(stateOf(member('1', some)), state);
    });
  }
});

test('the worst end of a task is that of the session', () => {
  const verdict = (...ends: OrderEnd[]) => verdictOf(ends.map((each, at) => member(String(at), { end: each })));
  assert.equal(verdict(end(), end()), 'checked');
  assert.equal(verdict(end(), PARTIAL), 'partial');
  assert.equal(verdict(PARTIAL, SKIPPED), 'aborted');
  assert.equal(verdict(ABORTED, FAILED, end()), 'failed');
});

test('a report sums up totals, time and spend by model, with what earlier orders of its tasks cost', () => {
  const opus = { provider: 'CLAUDE', model: 'opus', costUsd: 0.1, tokensInput: 10, tokensOutput: 1 };
  const gpt = { provider: 'CODEX', model: 'gpt', costUsd: 0.2, tokensInput: 20, tokensOutput: 2 };
  const report = makeSessionReport({
    sessionId: 'S',
    name: 'night',
    pattern: 'CHAIN',
    stop: null,
    startedAt: 500,
    members: [
      member('1', { end: end({ spend: [opus, gpt], estimatedUsd: 0.4 }) }),
      member('2', { end: { ...FAILED, spend: [opus], completedAt: 9_000 }, earlierSpend: [opus] }),
      member('3', { end: SKIPPED }),
    ],
  });
  assert.deepEqual(report.totals, { tasks: 3, completed: 1, failed: 1, aborted: 0, skipped: 1 });
  assert.equal(report.completedAt, 9_000);
  const { costUsd, estimatedUsd, tokensInput, tokensOutput, models } = report.spend;
  assert.deepEqual([costUsd, estimatedUsd, tokensInput, tokensOutput], [0.5, 0.5, 50, 5]);
  assert.deepEqual(usdBy('provider', models), { CLAUDE: 0.3, CODEX: 0.2 });
  assert.deepEqual(usdBy('model', models), { opus: 0.3, gpt: 0.2 });
});
