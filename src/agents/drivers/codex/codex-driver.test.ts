import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { aLaunch } from '../../../../test/support/a-launch.ts';
import { scratchFolder } from '../../../../test/support/test-process.ts';
import { codexDriver } from './codex-driver.ts';

const scratch = scratchFolder();
const OWN = ['api.openai.com', 'chatgpt.com', 'auth.openai.com'];

function hosts(config: string, variables: Record<string, string> = {}) {
  const home = mkdtempSync(join(scratch, 'home-'));
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, '.codex/config.toml'), config);
  return codexDriver.needs?.(aLaunch({ variables: { HOME: home, ...variables } })).hosts;
}

test('Codex may reach the host of its settings; beside a variable that its version may ignore, its own hosts too', () => {
  const variable = { OPENAI_BASE_URL: 'http://127.0.0.1:4000/v1' };
  assert.deepEqual(hosts(''), OWN);
  assert.deepEqual(hosts('', variable), ['127.0.0.1:4000', ...OWN]);
  assert.deepEqual(hosts('openai_base_url = "https://gateway.example/v1"', variable), ['gateway.example']);
  const provider = 'model_provider = "own"\n[model_providers.own]\nbase_url = "https://own.example:8443/v1"';
  assert.deepEqual(hosts(provider, variable), ['own.example:8443']);
});
