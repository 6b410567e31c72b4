import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import * as z from 'zod';
import { refuse } from '../../../domain/refusal.ts';
import { type AgentDriver, type Launch, listenOnly, NEEDS_NOTHING } from '../../agent-driver.ts';
import { shownPaths } from '../../own-files.ts';
import { accountMark } from '../vendor/account-mark.ts';
import { hostOf } from '../vendor/model-host.ts';
import { presentPaths } from '../vendor/present-paths.ts';
import { RecordedConversation } from '../vendor/recorded-conversation.ts';
import { brokenSettings, readVendorSettings } from '../vendor/settings-file.ts';
import { CodexReader } from './codex-reader.ts';
import { recordedCodexUsage } from './codex-usage.ts';

/** Codex, by `codex exec`: the prompt on stdin, events on stdout. */
export const codexDriver: AgentDriver = {
  name: 'codex',
  program: 'codex',
  can: { say: false, resume: true, askPermission: false, usage: 'end', thoughts: true },
  hasRemoteModel: true,
  reportsNoCost: true,
  needs({ variables }) {
    const folder = configFolder(variables);
    if (folder === null || !variables.HOME) return NEEDS_NOTHING;
    return { hosts: hostsOf(variables, folder), ...placesIn(folder), privatePaths: [variables.HOME] };
  },
  isLoggedIn: ({ variables }) => hasLogin(variables),
  problem: ({ variables }) =>
    brokenSettings([join(configFolder(variables) ?? '', 'config.toml')], parse) ?? missingKey(variables),
  vendorModel: ({ variables }) => readConfig(configFolder(variables) ?? '').model ?? null,
  account({ variables }) {
    const { OPENAI_BASE_URL: base, CODEX_API_KEY: own, OPENAI_API_KEY: key } = variables;
    const folder = configFolder(variables) ?? '';
    const { base_url: named, env_key: name } = providerOf(readConfig(folder)) ?? {};
    return accountMark('codex', [named ?? base, (name && variables[name]) || own || key || folder]);
  },
  plan({ agent, prompt, workspace, isSandboxed, resume, forks = false, variables }) {
    const folder = configFolder(variables);
    if (folder === null) return refuse('permission-denied', 'HOME is not set, so Codex would not find its login');
    const { env_key: key } = providerOf(readConfig(folder)) ?? {};
    const command = agent.command ?? ['codex'];
    return {
      argv: [
        ...command,
        'exec',
        ...(resume === null ? [] : [forks ? 'fork' : 'resume']),
        ...['--json', '--skip-git-repo-check', ...QUIET, ...addressWords(variables, folder)],
        ...(agent.namedModel ? ['--model', agent.namedModel] : []),
        ...permissionWords(isSandboxed),
        ...(resume === null ? [] : [resume]),
        '-',
      ],
      env: {},
      envNames: [...ENVIRONMENT, ...(key ? [key] : [])],
      stdin: prompt.words,
      readPaths: shownPaths(agent, workspace),
    };
  },
  converse({ spentInSession: spent, agent, variables }) {
    const { version = null, namedModel, vendorModel } = agent;
    const before = { input: spent?.tokensInput ?? 0, output: spent?.tokensOutput ?? 0 };
    const reader = new CodexReader(before, { version, model: namedModel ?? vendorModel ?? null });
    const recorded = (thread: string) => recordedCodexUsage(configFolder(variables) ?? '', thread, before);
    return new RecordedConversation(listenOnly(reader), recorded);
  },
};

/** No updates, no telemetry. */
const QUIET = ['-c', 'check_for_update_on_startup=false', '-c', 'analytics.enabled=false'];

/** Variables by which a user configures Codex's login and model. */
const ENVIRONMENT = [
  ...['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORGANIZATION', 'OPENAI_PROJECT', 'CODEX_API_KEY', 'CODEX_HOME'],
  ...['CODEX_CA_CERTIFICATE', 'CODEX_REFRESH_TOKEN_URL_OVERRIDE'],
];

const LOGIN_HOST = 'auth.openai.com';
/** The API by a key, and that of a ChatGPT subscription with its login. */
const HOSTS = ['api.openai.com', 'chatgpt.com', LOGIN_HOST];

/**
 * In Baton's sandbox that of Codex is off: one inside the other does not start. Its plugins, which the sandbox does not show, are
 * off too: it would look for new ones with every run. Without the sandbox Codex confines its commands.
 */
function permissionWords(isSandboxed: boolean): string[] {
  return isSandboxed
    ? ['--dangerously-bypass-approvals-and-sandbox', '-c', 'features.plugins=false']
    : ['--sandbox', 'workspace-write', '-c', 'approval_policy="never"'];
}

const provider = z.object({
  base_url: z.string().optional(),
  env_key: z.string().optional(),
  requires_openai_auth: z.boolean().optional(),
});
const config = z.object({
  cli_auth_credentials_store: z.string().optional(),
  model: z.string().optional(),
  model_provider: z.string().optional(),
  openai_base_url: z.string().optional(),
  model_providers: z.record(z.string(), provider).optional(),
});
type CodexConfig = z.infer<typeof config>;

/** An empty one where it is absent or wrong: Codex reports that itself. */
function readConfig(folder: string): CodexConfig {
  try {
    return config.parse(parse(readFileSync(join(folder, 'config.toml'), 'utf8')));
  } catch {
    return {};
  }
}

function providerOf({ model_provider: name, model_providers: all = {} }: CodexConfig) {
  return name === undefined ? undefined : all[name];
}

/** OpenAI's login does not help where the user's settings name another provider. */
function missingKey(variables: Launch['variables']): string | null {
  const settings = readConfig(configFolder(variables) ?? '');
  const { env_key: key } = providerOf(settings) ?? {};
  if (!key || variables[key]) return null;
  return `not logged in: set ${key}, the key of ${settings.model_provider} in its config.toml`;
}

/** A provider with a key of its own needs that one; any other needs the login of OpenAI, unless it is another host. */
function hasLogin(variables: Launch['variables']): boolean | null {
  const folder = configFolder(variables);
  if (folder === null) return false;
  const settings = readConfig(folder);
  const own = providerOf(settings);
  if (own?.env_key) return Boolean(variables[own.env_key]);
  if (own && own.requires_openai_auth !== true) return true;
  if (variables.CODEX_API_KEY || variables.OPENAI_API_KEY) return true;
  const { OPENAI_API_KEY: key, tokens } = readVendorSettings(join(folder, 'auth.json'));
  if (key || tokens) return true;
  const { cli_auth_credentials_store: store = 'file' } = settings;
  return store === 'file' ? false : null;
}

/** The one host that the user's settings or variables name; else Codex's own. A login is renewed at its own host. */
function hostsOf(variables: Launch['variables'], folder: string): string[] {
  const settings = readConfig(folder);
  const named = hostOf(addressIn(settings) ?? variables.OPENAI_BASE_URL ?? '');
  const renewal = hostOf(variables.CODEX_REFRESH_TOKEN_URL_OVERRIDE ?? '');
  const models = named === null ? HOSTS : [named, ...(usesLogin(settings, folder) ? [LOGIN_HOST] : [])];
  return renewal === null ? models : [...models.filter((host) => host !== LOGIN_HOST), renewal];
}

function usesLogin(settings: CodexConfig, folder: string): boolean {
  const own = providerOf(settings);
  if (own && own.requires_openai_auth !== true) return false;
  return Boolean(readVendorSettings(join(folder, 'auth.json')).tokens);
}

function addressIn(settings: CodexConfig): string | undefined {
  return providerOf(settings)?.base_url ?? settings.openai_base_url;
}

/** Recent versions ignore the variable: without the setting they would send everything to OpenAI. */
function addressWords({ OPENAI_BASE_URL: base }: Launch['variables'], folder: string): string[] {
  const isNeeded = base !== undefined && hostOf(base) !== null && addressIn(readConfig(folder)) === undefined;
  return isNeeded ? ['-c', `openai_base_url=${JSON.stringify(base)}`] : [];
}

function configFolder({ CODEX_HOME: own, HOME: home }: Launch['variables']): string | null {
  return own ?? (home ? join(home, '.codex') : null);
}

/** Settings, which Codex obeys the next time it is started outside of a sandbox: read only. */
const SETTINGS = ['config.toml', 'AGENTS.md', 'prompts', 'skills', 'rules', 'agents'];

/** The login, which Codex renews, and its sessions. */
function placesIn(folder: string) {
  return {
    readPaths: presentPaths(SETTINGS.map((name) => join(folder, name))),
    writePaths: [...presentPaths([join(folder, 'auth.json')]), `${join(folder, 'sessions')}/`],
  };
}
