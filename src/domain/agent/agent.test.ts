import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DriverName, isAgentName, type Provider, providerOf } from './agent.ts';

describe('common:agent-names: the name of an agent', () => {
  for (const name of ['a', 'swe-backend', 'A.b_c-9', '.', '-', 'a'.repeat(64), 'All', 'operators']) {
    it(`${name} is one`, () => assert.equal(isAgentName(name), true));
  }

  for (const name of [
    '',
    'a'.repeat(65),
    'a b',
    'a/b',
    'é',
    'a\n',
    '\na',
    'a\u0000',
    'all',
    'dispatcher',
    'operator',
    'filesystem',
  ]) {
    it(`${JSON.stringify(name)} is none`, () => assert.equal(isAgentName(name), false));
  }
});

it('common:agent-names: the provider of an agent follows from its driver', () => {
  const want: Record<DriverName, Provider> = {
    claude: 'CLAUDE',
    codex: 'CODEX',
    gemini: 'GEMINI',
    demo: 'LOCAL',
    opencode: 'OTHER',
    acp: 'OTHER',
    process: 'OTHER',
  };
  for (const [driver, provider] of Object.entries(want)) assert.equal(providerOf(driver as DriverName), provider);
});
