import { join } from 'node:path';
import { refuse } from '../../../domain/refusal.ts';
import { type AgentDriver, type Launch, listenOnly, NEEDS_NOTHING } from '../../agent-driver.ts';
import { shownPaths } from '../../own-files.ts';
import { accountMark } from '../vendor/account-mark.ts';
import { hostOf, isShut } from '../vendor/model-host.ts';
import { presentPaths } from '../vendor/present-paths.ts';
import { brokenSettings, readVendorSettings } from '../vendor/settings-file.ts';
import { OpencodeReader } from './opencode-reader.ts';

/** opencode, by `opencode run`: the prompt on stdin, events on stdout, errors of its model in the log on stderr. */
export const opencodeDriver: AgentDriver = {
  name: 'opencode',
  program: 'opencode',
  can: { say: false, resume: true, askPermission: false, usage: 'live', thoughts: true },
  hasRemoteModel: true,
  pluginDomain: 'npmjs.org',
  needs({ variables }) {
    const { HOME: home } = variables;
    if (!home) return NEEDS_NOTHING;
    const { config, data } = foldersOf(variables, home);
    return {
      hosts: hostsOf(variables, config, data),
      readPaths: settingsIn(config),
      // One database for all sessions, with the login beside it.
      writePaths: [`${data}/`],
      // Programs that opencode starts again outside of a sandbox: an agent must not place one there.
      privatePaths: [home, join(data, 'bin')],
    };
  },
  isLoggedIn: ({ workspace, variables }) => hasLogin(variables, workspace),
  problem: ({ workspace, variables: { HOME: home = '', ...others } }) =>
    brokenSettings(settingsFiles(foldersOf(others, home).config, workspace)),
  account({ agent, variables }) {
    // Each of its providers has a quota of its own.
    const { config } = foldersOf(variables, variables.HOME ?? '');
    return accountMark('opencode', [config, agent.namedModel?.split('/', 1)[0]]);
  },
  plan(launch) {
    const { agent, prompt, workspace, isSandboxed, resume, forks = false, variables } = launch;
    if (!variables.HOME) return refuse('permission-denied', 'HOME is not set, so opencode would not find its login');
    const shut = shutHost(launch, variables.HOME);
    if (shut !== null) return refuse('permission-denied', notAllowed(shut));
    return {
      argv: [
        ...(agent.command ?? ['opencode']),
        ...['run', '--format', 'json', '--thinking', '--print-logs', '--log-level', 'ERROR'],
        ...(agent.namedModel ? ['--model', agent.namedModel] : []),
        ...(resume === null ? [] : ['--session', resume, ...(forks ? ['--fork'] : [])]),
      ],
      env: { ...QUIET, OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(isSandboxed)) },
      envNames: ENVIRONMENT,
      stdin: prompt.words,
      readPaths: shownPaths(agent, workspace),
    };
  },
  converse: ({ agent }) => listenOnly(new OpencodeReader(agent.version)),
};

/** No updates, no downloads. */
const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
};

/** A title costs a request of its own, which opencode leaves out of its usage. */
function settings(isSandboxed: boolean) {
  return { permission: permissions(isSandboxed), agent: { title: { disable: true } } };
}

/** Without Baton's sandbox it may edit; nobody can be asked for anything else. */
function permissions(isSandboxed: boolean) {
  return isSandboxed ? { edit: 'allow', bash: 'allow' } : { edit: 'allow', bash: 'deny', webfetch: 'deny' };
}

/** Variables by which a user gives opencode the keys of its providers: each makes it use that provider. */
const PROVIDER_OF_KEY: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: 'anthropic',
  OPENAI_API_KEY: 'openai',
  GEMINI_API_KEY: 'google',
  GOOGLE_GENERATIVE_AI_API_KEY: 'google',
  OPENROUTER_API_KEY: 'openrouter',
  GROQ_API_KEY: 'groq',
  MISTRAL_API_KEY: 'mistral',
  DEEPSEEK_API_KEY: 'deepseek',
  XAI_API_KEY: 'xai',
  OPENCODE_API_KEY: 'opencode',
};
const KEYS = Object.keys(PROVIDER_OF_KEY);
/** Addresses that the libraries of these providers take from the environment. */
const ADDRESSES: Readonly<Record<string, string>> = { anthropic: 'ANTHROPIC_BASE_URL', openai: 'OPENAI_BASE_URL' };
const ENVIRONMENT = [...KEYS, ...Object.values(ADDRESSES), 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'];

/** The hosts of the providers that opencode knows by name. */
const PROVIDER_HOSTS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['api.anthropic.com'],
  deepseek: ['api.deepseek.com'],
  'github-copilot': ['api.github.com', 'api.githubcopilot.com', '*.githubcopilot.com'],
  google: ['generativelanguage.googleapis.com'],
  groq: ['api.groq.com'],
  mistral: ['api.mistral.ai'],
  openai: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
  opencode: ['opencode.ai'],
  openrouter: ['openrouter.ai'],
  xai: ['api.x.ai'],
};

const SETTINGS = [
  ...['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md', 'agent', 'agents', 'command', 'commands'],
  ...['plugin', 'plugins', 'skill', 'skills', 'themes', 'tool', 'tools'],
];

/** Once opencode has set up its folder, it can start where that cannot be written, and its plugins need all of it. */
function settingsIn(config: string): string[] {
  const isSetUp = presentPaths([join(config, '.gitignore')]).length > 0;
  return presentPaths(isSetUp ? [config] : SETTINGS.map((name) => join(config, name)));
}

function foldersOf({ XDG_CONFIG_HOME, XDG_DATA_HOME }: Launch['variables'], home: string) {
  return {
    config: join(XDG_CONFIG_HOME ?? join(home, '.config'), 'opencode'),
    data: join(XDG_DATA_HOME ?? join(home, '.local', 'share'), 'opencode'),
  };
}

/** A login, a key, or a provider of the user's own, such as a model on this machine. */
function hasLogin(variables: Launch['variables'], workspace: string): boolean {
  if (KEYS.some((name) => variables[name])) return true;
  if (!variables.HOME) return false;
  const { config, data } = foldersOf(variables, variables.HOME);
  if (Object.keys(readVendorSettings(join(data, 'auth.json'))).length > 0) return true;
  return settingsFiles(config, workspace).some(
    (file) => Object.keys(readVendorSettings(file).provider ?? {}).length > 0,
  );
}

const SETTINGS_FILES = ['opencode.json', 'opencode.jsonc', 'config.json'];
/** Those that opencode reads in a repository. */
const REPOSITORY_FILES = ['opencode.json', 'opencode.jsonc'];

function settingsFiles(config: string, workspace: string): readonly string[] {
  return [
    ...SETTINGS_FILES.map((name) => join(config, name)),
    ...REPOSITORY_FILES.map((name) => join(workspace, name)),
  ];
}

/** The providers that the user configured, logged in to, or has a key for. */
function hostsOf(variables: Launch['variables'], config: string, data: string): readonly string[] {
  const settings = SETTINGS_FILES.map((file) => readVendorSettings(join(config, file)));
  const enabled = settings.map((each) => each.enabled_providers).find((each) => Array.isArray(each));
  const isUsed = (name: string) => enabled?.includes(name) ?? true;
  const providers = settings.flatMap(({ provider }) => Object.entries((provider ?? {}) as Record<string, unknown>));
  const own = providers
    .filter(([name]) => isUsed(name))
    .flatMap(([name, provider]) => {
      const host = addressOf(provider);
      return host === null ? providerHosts(name, variables) : [host];
    });
  const withKey = Object.entries(PROVIDER_OF_KEY).flatMap(([key, name]) => (variables[key] ? [name] : []));
  const others = [...Object.keys(readVendorSettings(join(data, 'auth.json'))), ...withKey].filter(isUsed);
  const found = [...new Set([...own, ...others.flatMap((name) => providerHosts(name, variables))])];
  return found.length > 0 ? found : ['opencode.ai'];
}

function providerHosts(name: string, variables: Launch['variables']): readonly string[] {
  const address = hostOf(variables[ADDRESSES[name] ?? ''] ?? '');
  return address === null ? (PROVIDER_HOSTS[name] ?? []) : [address];
}

function addressOf(provider: unknown): string | null {
  const { options } = (provider ?? {}) as { readonly options?: { readonly baseURL?: unknown } };
  return typeof options?.baseURL === 'string' ? hostOf(options.baseURL) : null;
}

/**
 * The host of the model that a file of the repository chooses, where it is not allowed: such a file grants nothing, since an agent may
 * have written it.
 */
function shutHost({ agent, workspace, isSandboxed, grant, variables }: Launch, home: string): string | null {
  if (!isSandboxed) return null;
  const own = REPOSITORY_FILES.map((file) => readVendorSettings(join(workspace, file)));
  const { model, provider }: Readonly<Record<string, unknown>> = Object.assign({}, ...own);
  const name = (agent.namedModel ?? String(model ?? '')).split('/', 1)[0] ?? '';
  const host = addressOf(((provider ?? {}) as Record<string, unknown>)[name]);
  const { config, data } = foldersOf(variables, home);
  return host !== null && isShut(host, grant, hostsOf(variables, config, data)) ? host : null;
}

function notAllowed(host: string): string {
  const cure = `the order can allow it (net: ${host}), and so can the same provider in ~/.config/opencode/opencode.json`;
  return `opencode.json of this repository sends its requests to ${host}, which is not allowed: ${cure}`;
}
