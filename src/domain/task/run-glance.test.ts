import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentSignal } from '../agent/agent-signal.ts';
import { addGlance, NOTHING_SEEN } from './run-glance.ts';

const usage = (given: Partial<Extract<AgentSignal, { kind: 'usage' }>>): AgentSignal => ({
  kind: 'usage',
  costUsd: null,
  tokensInput: null,
  tokensOutput: null,
  tier: null,
  ...given,
});

test('the last line that is not empty is shown, and only its beginning', () => {
  const one = addGlance(NOTHING_SEEN, { kind: 'output', stream: 'stdout', text: 'first\nsecond\n\n' });
  assert.equal(one.lastLine, 'second');
  assert.equal(addGlance(one, { kind: 'output', stream: 'stdout', text: '  \n' }), one);
  assert.equal(addGlance(one, { kind: 'output', stream: 'stdout', text: 'x'.repeat(1_000) }).lastLine?.length, 300);
});

test('a figure that the agent leaves out keeps its earlier value', () => {
  const one = addGlance(NOTHING_SEEN, usage({ costUsd: 0.2, tokensInput: 10, tokensOutput: 5 }));
  assert.deepEqual(one.spend, { costUsd: 0.2, tokens: 15 });
  assert.deepEqual(addGlance(one, usage({ costUsd: 0.3 })).spend, { costUsd: 0.3, tokens: 15 });
  assert.deepEqual(addGlance(one, usage({ tokensInput: 20, tokensOutput: 5 })).spend, { costUsd: 0.2, tokens: 25 });
});
