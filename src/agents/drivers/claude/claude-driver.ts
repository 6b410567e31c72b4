import { join } from 'node:path';
import { refuse } from '../../../domain/refusal.ts';
import { type AgentDriver, type Launch, NEEDS_NOTHING } from '../../agent-driver.ts';
import { shownPaths } from '../../own-files.ts';
import { accountMark } from '../vendor/account-mark.ts';
import { hostOf, isShut } from '../vendor/model-host.ts';
import { presentPaths } from '../vendor/present-paths.ts';
import { readVendorSettings } from '../vendor/settings-file.ts';
import { ClaudeConversation, userMessage } from './claude-conversation.ts';

/** Claude Code, by its headless two-way stream. */
export const claudeDriver: AgentDriver = {
  name: 'claude',
  program: 'claude',
  can: { say: true, resume: true, askPermission: true, usage: 'live', thoughts: true },
  hasRemoteModel: true,
  needs({ workspace, variables }) {
    const { HOME: home } = variables;
    if (!home) return NEEDS_NOTHING;
    const folder = configFolder(variables, home);
    const notes = hookNotes(workspace);
    return { hosts: hostsOf(variables, folder), ...placesOf(workspace, folder, home), notes };
  },
  isLoggedIn: ({ variables }) => hasLogin(variables),
  account({ variables }) {
    const { ANTHROPIC_BASE_URL: base, ANTHROPIC_AUTH_TOKEN: token, CLAUDE_CODE_OAUTH_TOKEN: plan } = variables;
    const login = variables.ANTHROPIC_API_KEY || token || plan || configFolder(variables, variables.HOME ?? '');
    return accountMark('claude', [base, login]);
  },
  plan(request) {
    const { agent, prompt, workspace, isSandboxed, variables } = request;
    if (!variables.HOME) return refuse('permission-denied', 'HOME is not set, so Claude Code would not find its login');
    const diverted = divertedTo(request, variables.HOME);
    if (diverted !== null) return refuse('permission-denied', diverted);
    return {
      argv: [
        ...(agent.command ?? ['claude']),
        ...STREAM,
        ...modelWords(request),
        ...capWords(request),
        ...permissionWords(isSandboxed),
      ],
      env: { ...QUIET, ...(isSandboxed ? { IS_SANDBOX: '1' } : {}) },
      envNames: ENVIRONMENT,
      stdin: userMessage(prompt.words),
      keepsStdinOpen: true,
      readPaths: shownPaths(agent, workspace),
    };
  },
  converse: ({ spentInSession }) => new ClaudeConversation(spentInSession),
};

const STREAM = [
  ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
  '--include-partial-messages',
];

/** No updates, no telemetry. */
const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };

/** Variables by which a user configures Claude Code's login and model. */
const ENVIRONMENT = [
  ...[
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'ANTHROPIC_SMALL_FAST_MODEL',
  ],
  ...['ANTHROPIC_DEFAULT_HAIKU_MODEL', 'ANTHROPIC_DEFAULT_OPUS_MODEL', 'ANTHROPIC_DEFAULT_SONNET_MODEL'],
  ...['ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_MAX_OUTPUT_TOKENS'],
  ...['MAX_THINKING_TOKENS', 'API_TIMEOUT_MS'],
];

const MODEL_ADDRESS = 'https://api.anthropic.com';
/** The login of a subscription is renewed there. */
const LOGIN_HOSTS = ['console.anthropic.com', 'platform.claude.com'];

function modelWords({ agent, resume, forks = false }: Launch): string[] {
  const session = resume ? ['--resume', resume, ...(forks ? ['--fork-session'] : [])] : [];
  return [...(agent.namedModel ? ['--model', agent.namedModel] : []), ...session];
}

/** Claude Code reports its cost when it ends, so it counts for itself on the way. It takes no cap of 0. */
function capWords({ usdMax }: Launch): string[] {
  return usdMax ? ['--max-budget-usd', String(usdMax)] : [];
}

/** In Baton's sandbox the vendor's own questions are off. Without it the agent may edit; everything else is asked. */
function permissionWords(isSandboxed: boolean): string[] {
  return isSandboxed
    ? ['--permission-mode', 'bypassPermissions']
    : ['--permission-mode', 'acceptEdits', '--permission-prompt-tool', 'stdio'];
}

function hostsOf(variables: Launch['variables'], folder: string): string[] {
  const { env } = readVendorSettings(join(folder, 'settings.json'));
  const named = variables.ANTHROPIC_BASE_URL ?? (env as Record<string, unknown> | undefined)?.ANTHROPIC_BASE_URL;
  const model = hostOf(typeof named === 'string' ? named : MODEL_ADDRESS);
  const { claudeAiOauth: login } = readVendorSettings(join(folder, '.credentials.json'));
  const isRenewed = typeof named !== 'string' || (login !== undefined && !TOKENS.some((name) => variables[name]));
  return [...(model === null ? [] : [model]), ...(isRenewed ? LOGIN_HOSTS : [])];
}

/** Settings that come with a repository. Claude Code obeys them, and an agent may have written them. */
const REPOSITORY_SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];

function hookNotes(workspace: string): readonly string[] {
  return REPOSITORY_SETTINGS.filter((file) => {
    const { hooks } = readVendorSettings(join(workspace, file));
    return typeof hooks === 'object' && hooks !== null && Object.keys(hooks).length > 0;
  }).map(
    (file) => `${file} of this repository has hooks: Claude Code runs their commands with the rights of the agent`,
  );
}

/** A file of the repository does not decide who gets the user's login. */
function divertedTo({ workspace, grant, variables }: Launch, home: string): string | null {
  const own = hostsOf(variables, configFolder(variables, home));
  for (const file of REPOSITORY_SETTINGS) {
    const { env } = readVendorSettings(join(workspace, file));
    const { ANTHROPIC_BASE_URL: address } = (env ?? {}) as { readonly ANTHROPIC_BASE_URL?: unknown };
    const host = typeof address === 'string' ? hostOf(address) : null;
    if (host === null || !isShut(host, grant, own)) continue;
    const cure = `take ANTHROPIC_BASE_URL out of it, or allow the host, if it is yours, for the order (net: ${host})`;
    return `${file} of this repository sends your login and the requests of the agent to ${host}: ${cure}`;
  }
  return null;
}

const TOKENS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

function hasLogin(variables: Launch['variables']): boolean | null {
  if (TOKENS.some((name) => variables[name])) return true;
  const { HOME: home } = variables;
  if (!home) return false;
  const folder = configFolder(variables, home);
  const { apiKeyHelper, env } = readVendorSettings(join(folder, 'settings.json'));
  const set = (env ?? {}) as Record<string, unknown>;
  if (apiKeyHelper || TOKENS.some((name) => set[name])) return true;
  const { claudeAiOauth: login } = readVendorSettings(join(folder, '.credentials.json'));
  if (login) return true;
  // On macOS the login is in the key ring; this file names the account.
  return readVendorSettings(join(home, '.claude.json')).oauthAccount ? null : false;
}

function configFolder({ CLAUDE_CONFIG_DIR: own }: Launch['variables'], home: string): string {
  return own ?? join(home, '.claude');
}

/** Settings, which Claude Code obeys the next time it is started outside of a sandbox: read only. */
const SETTINGS = [
  ...['settings.json', 'settings.local.json', 'CLAUDE.md', 'agents', 'commands', 'skills', 'plugins', 'hooks'],
  ...['output-styles', 'rules'],
];

/** The home is empty but for the user's settings, the login, which Claude Code renews, and its sessions in this workspace. */
function placesOf(workspace: string, folder: string, home: string) {
  const sessions = join(folder, 'projects', workspace.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  return {
    readPaths: presentPaths([join(home, '.claude.json'), ...SETTINGS.map((name) => join(folder, name))]),
    writePaths: [...presentPaths([join(folder, '.credentials.json')]), `${sessions}/`],
    privatePaths: [home],
  };
}
