import { join } from 'node:path';
import { refuse } from '../../../domain/refusal.ts';
import { type AgentDriver, type LaunchRequest, listenOnly, NEEDS_NOTHING } from '../../agent-driver.ts';
import { hostOf } from '../vendor/model-host.ts';
import { realPaths } from '../vendor/real-paths.ts';
import { GeminiReader } from './gemini-reader.ts';

/** Gemini CLI, headless: the prompt on stdin, events on stdout, retries on stderr. */
export const geminiDriver: AgentDriver = {
  name: 'gemini',
  program: 'gemini',
  can: { say: false, resume: true, askPermission: false, usage: 'end', thoughts: false },
  hasRemoteModel: true,
  needs({ variables }) {
    const { HOME: home } = variables;
    if (!home) return NEEDS_NOTHING;
    return { hosts: hostsOf(variables), ...placesIn(join(home, '.gemini')), privatePaths: [home] };
  },
  plan({ agent, prompt, isSandboxed, resume, variables }) {
    if (!variables.HOME)
      return refuse('E_PERMISSION_DENIED', 'HOME is not set, so Gemini CLI would not find its login');
    return {
      argv: [
        ...(agent.command ?? ['gemini']),
        ...['--output-format', 'stream-json', '--skip-trust'],
        // Without Baton's sandbox it may edit; tools that would be asked for are not offered.
        ...['--approval-mode', isSandboxed ? 'yolo' : 'auto_edit'],
        ...(agent.namedModel ? ['--model', agent.namedModel] : []),
        ...(resume === null ? [] : ['--resume', resume]),
      ],
      env: { GEMINI_TELEMETRY_ENABLED: 'false' },
      envNames: ENVIRONMENT,
      stdin: prompt.words,
      readPaths: [],
    };
  },
  converse: () => listenOnly(new GeminiReader()),
};

/** Variables by which a user configures Gemini CLI's login and model. */
const ENVIRONMENT = [
  ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_MODEL', 'GOOGLE_GENAI_USE_VERTEXAI'],
  ...['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_GENAI_USE_GCA'],
];

/** The API by a key, and that of a Google account with its login. */
const HOSTS = ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'];

function hostsOf({ GOOGLE_GEMINI_BASE_URL: base }: LaunchRequest['variables']): readonly string[] {
  const host = base === undefined ? null : hostOf(base);
  return host === null ? HOSTS : [host];
}

/** Settings, which Gemini CLI obeys the next time it is started outside of a sandbox: read only. */
const SETTINGS = [
  ...['settings.json', 'GEMINI.md', 'commands', 'extensions', 'policies', 'skills', 'agents', 'installation_id'],
  'google_accounts.json',
];

/** The login, which Gemini CLI renews, and its sessions. */
function placesIn(folder: string) {
  return {
    readPaths: realPaths(SETTINGS.map((name) => join(folder, name))),
    writePaths: [...realPaths([join(folder, 'oauth_creds.json')]), `${join(folder, 'tmp')}/`],
  };
}
