import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { aLaunch } from '../../../../test/support/agent/a-launch.ts';
import { scratchFolder } from '../../../../test/support/test-process.ts';
import { codexDriver } from './codex-driver.ts';

const scratch = scratchFolder();
const OWN = ['api.openai.com', 'chatgpt.com', 'auth.openai.com'];

function hosts(config: string, variables: Record<string, string> = {}, login: string | null = null) {
  const home = mkdtempSync(join(scratch, 'home-'));
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, '.codex/config.toml'), config);
  if (login !== null) writeFileSync(join(home, '.codex/auth.json'), login);
  return codexDriver.needs?.(aLaunch({ variables: { HOME: home, ...variables } })).hosts;
}

test('Codex may reach the host of its settings, else that of the variable, else its own', () => {
  const variable = { OPENAI_BASE_URL: 'http://127.0.0.1:4000/v1' };
  assert.deepEqual(hosts(''), OWN);
  assert.deepEqual(hosts('', variable), ['127.0.0.1:4000']);
  assert.deepEqual(hosts('openai_base_url = "https://gateway.example/v1"', variable), ['gateway.example']);
  const provider = 'model_provider = "own"\n[model_providers.own]\nbase_url = "https://own.example:8443/v1"';
  assert.deepEqual(hosts(provider, variable), ['own.example:8443']);
});

test('Codex renews its login at the host of the login, whatever the address of its model', () => {
  const [provider, login] = [
    'model_provider = "own"\n[model_providers.own]\nbase_url = "https://own.example/v1"',
    '{"tokens":{}}',
  ];
  assert.deepEqual(hosts(provider, {}, login), ['own.example'], 'a provider with a key of its own');
  const withLogin = `${provider}\nrequires_openai_auth = true`;
  assert.deepEqual(hosts(withLogin), ['own.example'], 'no login');
  assert.deepEqual(hosts(withLogin, {}, login), ['own.example', 'auth.openai.com']);
  const renewal = { CODEX_REFRESH_TOKEN_URL_OVERRIDE: 'http://127.0.0.1:4001/token' };
  assert.deepEqual(hosts(withLogin, renewal, login), ['own.example', '127.0.0.1:4001']);
});

test('Codex is told the address of the variable, unless its settings name another', () => {
  const OPENAI_BASE_URL = 'http://127.0.0.1:4000/v1';
  const argvOf = (config: string) => {
    const home = mkdtempSync(join(scratch, 'home-'));
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex/config.toml'), config);
    const plan = codexDriver.plan(aLaunch({ variables: { HOME: home, OPENAI_BASE_URL } }));
    return 'argv' in plan ? plan.argv : [];
  };
  assert.ok(argvOf('').includes(`openai_base_url="${OPENAI_BASE_URL}"`));
  assert.ok(!argvOf('openai_base_url = "https://gateway.example/v1"').some((word) => word.includes('openai_base_url')));
});

test('the model of a run is the one that Baton names, else that of its settings', () => {
  const home = mkdtempSync(join(scratch, 'home-'));
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, '.codex/config.toml'), 'model = "gpt-5.5"');
  assert.equal(codexDriver.vendorModel?.({ variables: { HOME: home } }), 'gpt-5.5');
  assert.equal(codexDriver.vendorModel?.({ variables: {} }), null);
  const modelOf = (changes: object) => {
    const launch = aLaunch({});
    const talk = codexDriver.converse({ ...launch, agent: { ...launch.agent, ...changes } });
    const text = '{"type":"thread.started","thread_id":"t"}';
    const [begun] = talk.hear({ kind: 'line', line: { stream: 'stdout', text, isTruncated: false } }).signals;
    return begun?.kind === 'vendor-session' ? begun.model : undefined;
  };
  assert.equal(modelOf({ vendorModel: 'gpt-5.5' }), 'gpt-5.5');
  assert.equal(modelOf({ vendorModel: 'gpt-5.5', namedModel: 'gpt-6' }), 'gpt-6');
});
