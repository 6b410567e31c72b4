import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentStats, type JudgedOrder } from './agent-stats.ts';

function order(some: Partial<JudgedOrder> = {}): JudgedOrder {
  return {
    agent: 'emma',
    category: 'TESTING',
    repository: '/repo',
    verdict: 'checked',
    attempts: 1,
    startedAt: 0,
    completedAt: 10_000,
    spend: [],
    ...some,
  };
}

function spent(costUsd: number): JudgedOrder['spend'] {
  return [{ provider: 'CLAUDE', model: 'opus', costUsd, tokensInput: 1, tokensOutput: 1 }];
}

test('rates and medians are by agent, category and repository, the most orders first', () => {
  const [emma, bob, ...none] = agentStats([
    order({ agent: 'bob', completedAt: 30_000 }),
    order({ spend: spent(0.2) }),
    order({ attempts: 2, completedAt: 20_000, spend: spent(0.4) }),
    order({ verdict: 'failed', completedAt: 60_000 }),
    order({ verdict: 'partial', completedAt: 40_000 }),
  ]);
  assert.deepEqual(none, []);
  assert.deepEqual(emma, {
    agent: 'emma',
    category: 'TESTING',
    repository: '/repo',
    orders: 4,
    successRate: 0.5,
    firstTryRate: 0.25,
    medianSeconds: 30,
    medianCostUsd: 0.30000000000000004,
  });
  assert.deepEqual([bob?.agent, bob?.medianSeconds, bob?.medianCostUsd], ['bob', 30, null]);
});

test('what was aborted or never started proves nothing about an agent', () => {
  assert.deepEqual(agentStats([order({ verdict: 'aborted' }), order({ verdict: 'failed', attempts: 0 })]), []);
});
