import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { aLaunch } from '../../../../test/support/agent/a-launch.ts';
import { NOTHING, noBubblewrap, PLAIN_ENV, runShell, scratchFolder } from '../../../../test/support/test-process.ts';
import { BubblewrapSandbox } from '../../sandbox/bubblewrap/bubblewrap-sandbox.ts';
import { opencodeDriver } from './opencode-driver.ts';

const sandbox = new BubblewrapSandbox('/usr/bin/bwrap');
const scratch = scratchFolder();

for (const isThere of [true, false])
  test(`an agent keeps its sessions and places no program that opencode starts later, ${isThere ? 'with' : 'without'} a folder for them`, {
    skip: noBubblewrap,
  }, async () => {
    const home = mkdtempSync(join(scratch, 'home-'));
    const workspace = mkdtempSync(join(scratch, 'work-'));
    const data = join(home, '.local/share/opencode');
    mkdirSync(isThere ? join(data, 'bin') : data, { recursive: true });
    if (isThere) writeFileSync(join(data, 'bin/rg'), 'of the user');
    const needs = opencodeDriver.needs?.(aLaunch({ workspace, variables: { HOME: home } }));
    assert.ok(needs);
    const { readPaths, writePaths, privatePaths } = needs;
    const script = `cd ${data}; echo session > opencode.db; echo evil > bin/rg; echo evil > bin/new; rm -rf bin; mv bin aside; ln -s /tmp bin; cat bin/rg`;
    const grant = { ...NOTHING, readPaths, writePaths: [...writePaths, workspace], privatePaths };
    const ran = await runShell(sandbox, script, { cwd: workspace, grant, env: { ...PLAIN_ENV, HOME: home } });
    assert.equal(readFileSync(join(data, 'opencode.db'), 'utf8'), 'session\n', ran.stderr);
    assert.ok(!existsSync(join(data, 'aside')), 'the folder cannot be moved away');
    assert.deepEqual(
      isThere || existsSync(join(data, 'bin')) ? readdirSync(join(data, 'bin')) : [],
      isThere ? ['rg'] : [],
    );
    if (isThere) assert.equal(readFileSync(join(data, 'bin/rg'), 'utf8'), 'of the user');
  });

test('opencode may reach the provider of each key, at the address that its library takes from the environment', () => {
  const home = mkdtempSync(join(scratch, 'home-'));
  const hosts = (variables: Record<string, string>) =>
    opencodeDriver.needs?.(aLaunch({ variables: { HOME: home, ...variables } })).hosts;
  assert.deepEqual(hosts({}), ['opencode.ai']);
  assert.deepEqual(hosts({ ANTHROPIC_API_KEY: 'k', GROQ_API_KEY: 'k' }), ['api.anthropic.com', 'api.groq.com']);
  const gateway = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000/v1' };
  assert.deepEqual(hosts(gateway), ['127.0.0.1:4000']);
  assert.deepEqual(hosts({ ANTHROPIC_BASE_URL: 'https://evil.example' }), ['opencode.ai'], 'no key, no provider');
  const plan = opencodeDriver.plan(aLaunch({ variables: { HOME: home } }));
  assert.ok('envNames' in plan && plan.envNames.includes('ANTHROPIC_BASE_URL'));
});

test('opencode may reach the providers of its settings, with comments or without, and no other where it names those it uses', () => {
  const home = mkdtempSync(join(scratch, 'home-'));
  const config = join(home, '.config/opencode');
  mkdirSync(config, { recursive: true });
  const own = '"provider": { "own": { "options": { "baseURL": "http://127.0.0.1:4000/v1" } } }';
  const place = { workspace: home, variables: { HOME: home, GROQ_API_KEY: 'k' } };
  const hosts = () => opencodeDriver.needs?.(aLaunch(place)).hosts;
  writeFileSync(join(config, 'opencode.jsonc'), `{ ${own}, // mine\n }`);
  assert.deepEqual(hosts(), ['127.0.0.1:4000', 'api.groq.com']);
  writeFileSync(join(config, 'opencode.jsonc'), `{ ${own}, "enabled_providers": ["own"] }`);
  assert.deepEqual(hosts(), ['127.0.0.1:4000']);
  assert.equal(opencodeDriver.problem?.(place), null);
  writeFileSync(join(config, 'opencode.jsonc'), `{ ${own}`);
  assert.match(opencodeDriver.problem?.(place) ?? '', /opencode\.jsonc cannot be read: correct them/);
});

test('a model that a file of the repository names is not reached unless it is allowed', () => {
  const [HOME, workspace] = [mkdtempSync(join(scratch, 'home-')), mkdtempSync(join(scratch, 'work-'))];
  const provider = { own: { options: { baseURL: 'http://127.0.0.1:4000/v1' } } };
  writeFileSync(join(workspace, 'opencode.json'), JSON.stringify({ model: 'own/any', provider }));
  const planned = (hosts: readonly string[], namedModel?: string) => {
    const launch = aLaunch({ workspace, isSandboxed: true, variables: { HOME } });
    const network = { level: 'RESTRICTED', hosts, loopbackPorts: [] } as const;
    const agent = { ...launch.agent, ...(namedModel && { namedModel }) };
    return opencodeDriver.plan({ ...launch, agent, grant: { ...launch.grant, network } });
  };
  const refused = planned([]);
  assert.ok('code' in refused);
  assert.match(
    refused.message,
    /opencode\.json of this repository .* 127\.0\.0\.1:4000, .* \(net: 127\.0\.0\.1:4000\)/,
  );
  assert.ok('argv' in planned(['127.0.0.1:4000']));
  assert.ok('argv' in planned([], 'anthropic/claude'), 'another model is used');
});
