import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { AGENT_DRIVERS } from '../node/agents/agent-drivers.ts';
import { type AgentSources, type FoundAgent, findAgents, programsToAsk, vendorsNotInstalled } from './find-agents.ts';
import { ProgramVersions } from './program/program-version.ts';
import { VENDORS } from './vendors.ts';

type Variables = Readonly<Record<string, string>>;

/** A home with a `bin` on its PATH, and the agents that are found there. */
function aMachine(t: TestContext) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-vendors-')));
  t.after(() => rmSync(home, { recursive: true }));
  const root = join(home, 'repository');
  mkdirSync(root);
  const put = (path: string, text: string, mode = 0o644) => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };
  const answersFile = join(home, 'state', 'versions.json');
  const sources = (variables: Variables, versions: ProgramVersions): AgentSources => ({
    agents: {},
    drivers: AGENT_DRIVERS,
    isWorkspace: true,
    root,
    homes: [home],
    path: `${join(home, 'bin')}:/usr/bin:/bin`,
    variables: { HOME: home, ...variables },
    versions,
  });
  const detect = async (name: string, variables: Variables = {}, agents: AgentSources['agents'] = {}) => {
    const versions = new ProgramVersions(answersFile);
    const all = { ...sources(variables, versions), agents };
    await versions.ask(programsToAsk(all), { PATH: '/usr/bin:/bin' });
    return findAgents(all).find((agent) => agent.name === name) as FoundAgent;
  };
  /** A package as npm installs it, with its program linked into `bin`. */
  const npm = (packageName: string, program: string, version: string) => {
    const folder = `lib/node_modules/${packageName}`;
    put(`${folder}/package.json`, JSON.stringify({ name: packageName, version, bin: { [program]: 'cli.js' } }));
    const cli = put(`${folder}/cli.js`, '#!/bin/sh\necho started >&2; exit 1\n', 0o755);
    mkdirSync(join(home, 'bin'), { recursive: true });
    symlinkSync(cli, join(home, 'bin', program));
  };
  const script = (program: string, text: string, mode = 0o755) => put(`bin/${program}`, `#!/bin/sh\n${text}\n`, mode);
  const places = () => sources({}, new ProgramVersions(answersFile));
  return { home, root, put, detect, npm, script, answersFile, places };
}

test('a version is read from the package of the program, which is not started', async (t) => {
  const { npm, detect } = aMachine(t);
  npm('@anthropic-ai/claude-code', 'claude', '2.1.325');
  const { version, missing, isLoggedIn } = await detect('claude', { ANTHROPIC_API_KEY: 'k' });
  assert.deepEqual({ version, missing, isLoggedIn }, { version: '2.1.325', missing: null, isLoggedIn: true });
});

test('a program without a package is asked once, until its file changes', async (t) => {
  const { home, script, detect } = aMachine(t);
  const asked = join(home, 'asked');
  script('codex', `echo x >> ${asked}; echo "codex-cli 0.166.0"`);
  assert.equal((await detect('codex', { OPENAI_API_KEY: 'k' })).version, '0.166.0');
  rmSync(asked);
  assert.equal((await detect('codex', { OPENAI_API_KEY: 'k' })).version, '0.166.0');
  assert.equal(existsSync(asked), false, 'the answer is kept for the next process');
  script('codex', `echo x >> ${asked}; echo "codex-cli 0.167.0-alpha.1, later"`);
  assert.equal((await detect('codex', { OPENAI_API_KEY: 'k' })).version, '0.167.0-alpha.1');
});

test('the version of an installer that keeps one folder a version is in the path', async (t) => {
  const { home, put, detect } = aMachine(t);
  const file = put('.local/share/claude/versions/2.1.300', '#!/bin/sh\nexit 1\n', 0o755);
  mkdirSync(join(home, 'bin'));
  symlinkSync(file, join(home, 'bin', 'claude'));
  assert.equal((await detect('claude', { ANTHROPIC_API_KEY: 'k' })).version, '2.1.300');
});

test('a program that hangs, prints garbage, fails or cannot start is not ready, with a sentence and what to do', async (t) => {
  const { script, detect, home } = aMachine(t);
  script('claude', 'sleep 600 & sleep 600');
  script('codex', 'printf "\\033[31mwelcome\\n"');
  script('gemini', 'echo "cannot load module" >&2; exit 3');
  const key = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' };
  const bin = join(home, 'bin');
  const install = (name: string) => `; install it again: npm i -g ${name}`;
  const [claude, codex, gemini] = await Promise.all(['claude', 'codex', 'gemini'].map((name) => detect(name, key)));
  assert.equal(
    claude?.missing,
    `${bin}/claude --version did not answer within 5 s${install('@anthropic-ai/claude-code')}`,
  );
  assert.equal(
    codex?.missing,
    `${bin}/codex --version printed "\\u001b[31mwelcome" instead of a version${install('@openai/codex')}`,
  );
  assert.equal(
    gemini?.missing,
    `${bin}/gemini --version failed (exit 3) and printed "cannot load module"${install('@google/gemini-cli')}`,
  );
  const left = script('codex', 'echo 1', 0o644);
  assert.equal(
    (await detect('codex', key)).missing,
    `${left} is not an executable program (EACCES): npm i -g @openai/codex`,
  );
});

test('a broken link on the PATH is an agent that is not ready', async (t) => {
  const { home, detect } = aMachine(t);
  mkdirSync(join(home, 'bin'));
  symlinkSync(join(home, 'gone'), join(home, 'bin', 'opencode'));
  assert.equal(
    (await detect('opencode')).missing,
    `${home}/bin/opencode is a link to ${home}/gone, which is not there (ENOENT): npm i -g opencode-ai`,
  );
});

test('a program that is too old is not ready, and the version that is needed is named', async (t) => {
  const { npm, detect } = aMachine(t);
  npm('@google/gemini-cli', 'gemini', '0.39.9');
  const { missing } = await detect('gemini', { GEMINI_API_KEY: 'k' });
  assert.equal(missing, 'Gemini CLI 0.39.9 is too old: Baton needs 0.40.0 or newer; npm i -g @google/gemini-cli');
});

test('a program of the workspace is never started to learn its version', async (t) => {
  const { root, put, detect, home } = aMachine(t);
  const asked = join(home, 'asked');
  put('repository/tools/claude', `#!/bin/sh\ntouch ${asked}; echo 2.1.325\n`, 0o755);
  const agents = { own: { driver: 'claude' as const, command: [join(root, 'tools/claude')] } };
  const found = await detect('own', { ANTHROPIC_API_KEY: 'k' }, agents);
  assert.deepEqual([found.version, found.missing, existsSync(asked)], [null, null, false]);
});

test("a command of the user's own is not judged by version or login", async (t) => {
  const { script, detect, home } = aMachine(t);
  const file = script('wrapper', 'echo no version');
  const agents = { own: { driver: 'claude' as const, command: [file, '--profile', 'work'] } };
  const found = await detect('own', { HOME: home }, agents);
  assert.deepEqual([found.version, found.isLoggedIn, found.missing], [null, null, null]);
});

const LOGINS: Record<
  string,
  {
    vendor: keyof typeof VENDORS;
    files?: Record<string, string>;
    variables?: Variables;
    is: boolean | null;
    says?: string;
  }
> = {
  'claude without anything': { vendor: 'claude', is: false },
  'claude, an empty key': { vendor: 'claude', variables: { ANTHROPIC_API_KEY: '' }, is: false },
  'claude, a token': { vendor: 'claude', variables: { ANTHROPIC_AUTH_TOKEN: 'k' }, is: true },
  'claude, a login': { vendor: 'claude', files: { '.claude/.credentials.json': '{"claudeAiOauth":{}}' }, is: true },
  'claude, a damaged login': { vendor: 'claude', files: { '.claude/.credentials.json': '{"cla' }, is: false },
  'claude, a helper': { vendor: 'claude', files: { '.claude/settings.json': '{"apiKeyHelper":"x"}' }, is: true },
  'claude, the key ring of macOS': { vendor: 'claude', files: { '.claude.json': '{"oauthAccount":{}}' }, is: null },
  'codex without anything': { vendor: 'codex', is: false },
  'codex, a login': { vendor: 'codex', files: { '.codex/auth.json': '{"tokens":{}}' }, is: true },
  'codex, a login that was removed': {
    vendor: 'codex',
    files: { '.codex/auth.json': '{"OPENAI_API_KEY":null}' },
    is: false,
  },
  'codex, the key of its provider': {
    vendor: 'codex',
    files: { '.codex/config.toml': 'model_provider="x"\n[model_providers.x]\nenv_key="X_KEY"\n' },
    variables: { X_KEY: 'k' },
    is: true,
  },
  'codex, without the key of its provider': {
    vendor: 'codex',
    files: { '.codex/config.toml': 'model_provider="x"\n[model_providers.x]\nenv_key="X_KEY"\n' },
    variables: { OPENAI_API_KEY: 'k' },
    is: false,
    says: 'set X_KEY, the key of x in its config.toml',
  },
  'codex, a key ring': {
    vendor: 'codex',
    files: { '.codex/config.toml': 'cli_auth_credentials_store="keyring"\n' },
    is: null,
  },
  'gemini without anything': { vendor: 'gemini', is: false },
  'gemini, a key': { vendor: 'gemini', variables: { GEMINI_API_KEY: 'k' }, is: true },
  'gemini, a login': { vendor: 'gemini', files: { '.gemini/oauth_creds.json': '{"refresh_token":"r"}' }, is: true },
  'gemini, Vertex': {
    vendor: 'gemini',
    variables: { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'l' },
    is: true,
  },
  'gemini, a file of variables': { vendor: 'gemini', files: { '.gemini/.env': 'GEMINI_API_KEY=k' }, is: null },
  'opencode, a login': {
    vendor: 'opencode',
    files: { '.local/share/opencode/auth.json': '{"openai":{"type":"api"}}' },
    is: true,
  },
  'opencode, a provider of the workspace': {
    vendor: 'opencode',
    files: { 'repository/opencode.json': '{"provider":{"mine":{}}}' },
    is: true,
  },
};

const PACKAGES: Record<string, string> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
  opencode: 'opencode-ai',
};

for (const [what, { vendor, files = {}, variables = {}, is, says }] of Object.entries(LOGINS)) {
  test(`login: ${what}`, async (t) => {
    const { npm, put, detect } = aMachine(t);
    npm(PACKAGES[vendor] ?? '', vendor, '9.9.9');
    for (const [path, text] of Object.entries(files)) put(path, text);
    const found = await detect(vendor, variables);
    assert.equal(found.isLoggedIn, is);
    assert.equal(found.missing, is === false ? `not logged in: ${says ?? VENDORS[vendor].login}` : null);
  });
}

test('opencode without a login is ready: it has free models', async (t) => {
  const { npm, detect } = aMachine(t);
  npm('opencode-ai', 'opencode', '1.18.33');
  const { isLoggedIn, missing } = await detect('opencode');
  assert.deepEqual([isLoggedIn, missing], [false, null]);
});

test('the vendors that are not on the PATH are named', (t) => {
  const { npm, places } = aMachine(t);
  npm('@openai/codex', 'codex', '0.166.0');
  assert.deepEqual(
    vendorsNotInstalled(places()).map(({ program }) => program),
    ['claude', 'gemini', 'opencode'],
  );
});

test('Gemini CLI with an address of the user needs a way to log in in its settings', async (t) => {
  const { npm, detect, put } = aMachine(t);
  npm('@google/gemini-cli', 'gemini', '0.61.0');
  const key = { GEMINI_API_KEY: 'k' };
  const own = { ...key, GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9' };
  assert.equal((await detect('gemini', key)).missing, null);
  assert.match((await detect('gemini', own)).missing ?? '', /GOOGLE_GEMINI_BASE_URL is set.*selectedType/);
  put('.gemini/settings.json', '{"security":{"auth":{"selectedType":"gemini-api-key"}}}');
  assert.equal((await detect('gemini', own)).missing, null);
});

test('Codex with a provider of the user names the key that is missing', async (t) => {
  const { npm, detect, put } = aMachine(t);
  npm('@openai/codex', 'codex', '0.166.0');
  put('.codex/config.toml', 'model_provider = "own"\n[model_providers.own]\nname = "own"\nenv_key = "OWN_KEY"\n');
  const { missing } = await detect('codex', { OPENAI_API_KEY: 'k' });
  assert.equal(missing, 'not logged in: set OWN_KEY, the key of own in its config.toml');
  assert.equal((await detect('codex', { OWN_KEY: 'k' })).missing, null);
});

test('a program that cannot read its settings is not ready, and the file is named', async (t) => {
  const { npm, detect, put } = aMachine(t);
  for (const [vendor, file, key] of [
    ['codex', '.codex/config.toml', 'OPENAI_API_KEY'],
    ['gemini', '.gemini/settings.json', 'GEMINI_API_KEY'],
    ['opencode', '.config/opencode/opencode.json', 'OPENAI_API_KEY'],
  ] as const) {
    npm(PACKAGES[vendor] ?? '', vendor, '9.9.9');
    put(file, '{ "model" = [[');
    const { missing } = await detect(vendor, { [key]: 'k', GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9' });
    assert.match(missing ?? '', new RegExp(`^its settings in \\S+${file} cannot be read: correct them \\(.+\\)$`));
  }
});
