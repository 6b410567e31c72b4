import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentSignal } from '../domain/agent/agent-signal.ts';
import type { Price } from '../domain/agent/price.ts';
import { listenOnly } from './agent-driver.ts';
import { PricedConversation } from './priced-conversation.ts';

const price = (date: string, inputUsd: number) => ({ date, inputUsd, cachedInputUsd: 0, outputUsd: 2 * inputUsd });
const TABLE = { 'gemini-pro': price('2026-11-02', 10), 'gemini-lite': price('2026-11-01', 1) };
const tokens = (millions: number) => ({ tokensInput: millions * 1e6, tokensOutput: millions * 1e6 });

/** The cost of usage, and the price list that it names. */
function priced(usage: object, table: Record<string, Price> = TABLE) {
  const signal = { kind: 'usage', costUsd: null, tier: null, ...tokens(3), ...usage } as AgentSignal;
  const talk = new PricedConversation(listenOnly({ line: () => [], end: () => [signal] }), { table, model: 'gemini' });
  const [counted] = talk.end();
  return counted?.kind === 'usage' ? [counted.costUsd, counted.tier] : null;
}

test('tokens of several models have the price of each, on the day of the oldest', () => {
  const byModel = { 'gemini-pro-preview': tokens(2), 'gemini-lite': tokens(1) };
  assert.deepEqual(priced({ byModel }), [63, 'your prices of 2026-11-01']);
  assert.deepEqual(priced({ byModel }, { gemini: price('2026-11-03', 1) }), [9, 'your prices of 2026-11-03']);
});

test('a model without a price leaves the cost open, and one that the vendor reports stays', () => {
  assert.deepEqual(priced({ byModel: { 'gemini-pro': tokens(2), other: tokens(1) } }), [null, null]);
  assert.deepEqual(priced({}), [null, null]);
  assert.deepEqual(priced({ costUsd: 1 }), [1, null]);
});
