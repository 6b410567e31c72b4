import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { costUsdOf, type Price, priceOf } from './price.ts';

const PRICE: Price = { date: '2026-11-01', inputUsd: 1.25, cachedInputUsd: 0.125, outputUsd: 10 };
const OTHER: Price = { ...PRICE, inputUsd: 2 };

test('the cost is tokens times price, cached input apart', () => {
  assert.equal(costUsdOf(PRICE, { input: 1_000_000, cachedInput: 0, output: 0 }), 1.25);
  assert.equal(costUsdOf(PRICE, { input: 1_000_000, cachedInput: 400_000, output: 0 }), 0.8);
  assert.equal(costUsdOf(PRICE, { input: 0, cachedInput: 0, output: 144 }), 0.00144);
  assert.equal(costUsdOf(PRICE, { input: 10, cachedInput: 20, output: 0 }), 0.000001);
});

test('the cost is the exact sum rounded to a millionth of a dollar', () => {
  const tokens = fc.nat(2_000_000_000);
  const micro = fc.nat(1_000_000_000);
  fc.assert(
    fc.property(tokens, tokens, micro, micro, (input, output, inputMicro, outputMicro) => {
      const price = { ...PRICE, inputUsd: inputMicro / 1e6, outputUsd: outputMicro / 1e6 };
      const exact = BigInt(input) * BigInt(inputMicro) + BigInt(output) * BigInt(outputMicro);
      const micros = BigInt(Math.round(costUsdOf(price, { input, cachedInput: 0, output }) * 1e6));
      const off = micros * 1_000_000n - exact;
      // Above 2^53 micro-dollars a number cannot hold each of them.
      if (exact < 2n ** 52n) assert.ok(off <= 500_000n && off >= -500_000n, `${off}`);
    }),
  );
});

test('a model has the price of its own name, else of the longest name that its version begins with', () => {
  const table = { 'gpt-5': PRICE, 'gpt-5-codex': OTHER };
  assert.equal(priceOf(table, ['gpt-5']), PRICE);
  assert.equal(priceOf(table, ['gpt-5-codex-2026-10-01']), OTHER);
  assert.equal(priceOf(table, ['gpt-5-mini']), PRICE);
  assert.equal(priceOf(table, ['gpt-55']), null);
  assert.equal(priceOf(table, ['codex', 'gpt-5']), PRICE);
  assert.equal(priceOf({}, ['gpt-5']), null);
});
