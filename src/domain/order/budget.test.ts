import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Budget, countedSpend, effectiveBudget, isOverBudget } from './budget.ts';

describe('a budget is the smaller of budgets and constraints', () => {
  const rows: [name: string, sources: Parameters<typeof effectiveBudget>[0], want: Budget][] = [
    ['none', [], { costUsdMax: null, tokensMax: null }],
    ['absent sources', [null, undefined, {}], { costUsdMax: null, tokensMax: null }],
    ['one', [{ costUsdMax: 2, tokensMax: 10 }], { costUsdMax: 2, tokensMax: 10 }],
    ['the first is smaller', [{ costUsdMax: 1 }, { costUsdMax: 2 }], { costUsdMax: 1, tokensMax: null }],
    ['the second is smaller', [{ costUsdMax: 2 }, { costUsdMax: 1 }], { costUsdMax: 1, tokensMax: null }],
    [
      'each from another',
      [
        { costUsdMax: 1, tokensMax: 9 },
        { costUsdMax: 2, tokensMax: 3 },
      ],
      { costUsdMax: 1, tokensMax: 3 },
    ],
    ['null is no bound', [{ costUsdMax: null, tokensMax: 5 }, { costUsdMax: 2 }], { costUsdMax: 2, tokensMax: 5 }],
    ['zero is a bound', [{ costUsdMax: 0, tokensMax: 0 }, { costUsdMax: 2 }], { costUsdMax: 0, tokensMax: 0 }],
  ];
  for (const [name, sources, want] of rows) it(name, () => assert.deepEqual(effectiveBudget(sources), want));
});

describe('a task is over its budget', () => {
  const rows: [budget: Budget, costUsd: number, tokens: number, isOver: boolean][] = [
    [{ costUsdMax: null, tokensMax: null }, 1e9, 1e9, false],
    [{ costUsdMax: 1, tokensMax: null }, 1, 1e9, false],
    [{ costUsdMax: 1, tokensMax: null }, 1.0001, 0, true],
    [{ costUsdMax: null, tokensMax: 10 }, 1e9, 10, false],
    [{ costUsdMax: null, tokensMax: 10 }, 0, 11, true],
    [{ costUsdMax: 0.3, tokensMax: null }, 0.1 + 0.2, 0, false],
    [{ costUsdMax: 0, tokensMax: 0 }, 0, 0, false],
    [{ costUsdMax: 0, tokensMax: 0 }, 0, 1, true],
  ];
  for (const [budget, costUsd, tokens, isOver] of rows) {
    it(`${costUsd} USD and ${tokens} tokens of ${JSON.stringify(budget)}: ${isOver}`, () => {
      assert.equal(isOverBudget(budget, { costUsd, tokens }), isOver);
    });
  }
});

it('what was spent counts up to the budget: a run that costs nothing is not over it', () => {
  const budget = { costUsdMax: 0.1, tokensMax: null };
  assert.deepEqual(countedSpend(budget, { costUsd: 0.18, tokens: 7 }), { costUsd: 0.1, tokens: 7 });
  assert.deepEqual(countedSpend(budget, { costUsd: 0.04, tokens: 7 }), { costUsd: 0.04, tokens: 7 });
});
