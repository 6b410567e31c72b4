import { join } from 'node:path';
import { refuse } from '../../../domain/refusal.ts';
import { type AgentDriver, type Launch, listenOnly, NEEDS_NOTHING } from '../../agent-driver.ts';
import { shownPaths } from '../../own-files.ts';
import { accountMark } from '../vendor/account-mark.ts';
import { hostOf } from '../vendor/model-host.ts';
import { presentPaths } from '../vendor/present-paths.ts';
import { RecordedConversation } from '../vendor/recorded-conversation.ts';
import { brokenSettings, readVendorSettings } from '../vendor/settings-file.ts';
import { GeminiReader } from './gemini-reader.ts';
import { recordedGeminiUsage } from './gemini-usage.ts';

/** Gemini CLI, headless: the prompt on stdin, events on stdout, retries on stderr. */
export const geminiDriver: AgentDriver = {
  name: 'gemini',
  program: 'gemini',
  can: { say: false, resume: true, askPermission: false, usage: 'end', thoughts: false },
  hasRemoteModel: true,
  statisticsHosts: ['play.googleapis.com'],
  reportsNoCost: true,
  needs({ variables }) {
    const { HOME: home } = variables;
    if (!home) return NEEDS_NOTHING;
    return { hosts: hostsOf(variables), ...placesIn(join(home, '.gemini')), privatePaths: [home] };
  },
  isLoggedIn: ({ variables }) => hasLogin(variables),
  problem: ({ variables, workspace }) =>
    brokenSettings([variables.HOME ?? '', workspace].map(settingsIn)) ??
    (lacksAuthType(variables, workspace) ? NO_AUTH_TYPE : null),
  account({ variables }) {
    const { GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: key, GOOGLE_API_KEY: cloud, HOME: home } = variables;
    return accountMark('gemini', [base, key || cloud || home]);
  },
  plan({ agent, prompt, workspace, isSandboxed, resume, variables }) {
    if (!variables.HOME) return refuse('permission-denied', 'HOME is not set, so Gemini CLI would not find its login');
    return {
      argv: [
        ...(agent.command ?? ['gemini']),
        ...['--output-format', 'stream-json', '--skip-trust'],
        // Without Baton's sandbox it may edit; tools that would be asked for are not offered.
        ...['--approval-mode', isSandboxed ? 'yolo' : 'auto_edit'],
        ...(agent.namedModel ? ['--model', agent.namedModel] : []),
        ...(resume === null ? [] : ['--resume', resume]),
      ],
      env: { GEMINI_TELEMETRY_ENABLED: 'false', ...ONE_PROCESS },
      envNames: ENVIRONMENT,
      stdin: prompt.words,
      readPaths: shownPaths(agent, workspace),
    };
  },
  converse: ({ agent, variables: { HOME: home = '' }, spentInSession }) =>
    new RecordedConversation(listenOnly(new GeminiReader(agent.version)), (session) =>
      recordedGeminiUsage(join(home, '.gemini'), session, spentInSession),
    ),
};

/** Otherwise its program starts itself once more, and the first process swallows the SIGTERM that is meant for the second. */
const ONE_PROCESS = { GEMINI_CLI_NO_RELAUNCH: 'true' };

/** Variables by which a user configures Gemini CLI's login and model. */
const ENVIRONMENT = [
  ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_MODEL', 'GOOGLE_GENAI_USE_VERTEXAI'],
  ...['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_GENAI_USE_GCA'],
];

/** The API by a key, and that of a Google account with its login. */
const HOSTS = ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'];

function hostsOf({ GOOGLE_GEMINI_BASE_URL: base }: Launch['variables']): readonly string[] {
  const host = base === undefined ? null : hostOf(base);
  return host === null ? HOSTS : [host];
}

function hasLogin(variables: Launch['variables']): boolean | null {
  const { HOME: home, GEMINI_API_KEY, GOOGLE_API_KEY, GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_LOCATION } = variables;
  if (GEMINI_API_KEY || GOOGLE_API_KEY) return true;
  if (variables.GOOGLE_GENAI_USE_VERTEXAI === 'true' && GOOGLE_CLOUD_PROJECT && GOOGLE_CLOUD_LOCATION) return true;
  if (!home) return false;
  const { refresh_token, access_token } = readVendorSettings(join(home, '.gemini', 'oauth_creds.json'));
  if (refresh_token || access_token) return true;
  // A key may be in one of these files, and a login in the key ring.
  const isSetUp = hasAuthType(home);
  const hasFile = presentPaths([join(home, '.gemini', '.env'), join(home, '.env')]).length > 0;
  return isSetUp || hasFile ? null : false;
}

const NO_AUTH_TYPE =
  'GOOGLE_GEMINI_BASE_URL is set, and Gemini CLI then wants {"security":{"auth":{"selectedType":"gemini-api-key"}}} in ~/.gemini/settings.json';

/** With an address of the user's, Gemini CLI does not choose a way to log in by itself. */
function lacksAuthType(variables: Launch['variables'], workspace: string): boolean {
  const { HOME: home, GOOGLE_GEMINI_BASE_URL: base, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA } = variables;
  if (!home || !base || GOOGLE_GENAI_USE_VERTEXAI === 'true' || GOOGLE_GENAI_USE_GCA === 'true') return false;
  return ![home, workspace].some(hasAuthType);
}

function settingsIn(folder: string): string {
  return join(folder, '.gemini', 'settings.json');
}

function hasAuthType(folder: string): boolean {
  const { security, selectedAuthType } = readVendorSettings(settingsIn(folder));
  const { auth } = (security ?? {}) as { readonly auth?: { readonly selectedType?: unknown } };
  return auth?.selectedType !== undefined || selectedAuthType !== undefined;
}

/** Settings, which Gemini CLI obeys the next time it is started outside of a sandbox: read only. */
const SETTINGS = [
  ...['settings.json', 'GEMINI.md', 'commands', 'extensions', 'policies', 'skills', 'agents', 'installation_id'],
  'google_accounts.json',
];

/** The login, which Gemini CLI renews, and its sessions. */
function placesIn(folder: string) {
  return {
    readPaths: presentPaths(SETTINGS.map((name) => join(folder, name))),
    writePaths: [...presentPaths([join(folder, 'oauth_creds.json')]), `${join(folder, 'tmp')}/`],
  };
}
