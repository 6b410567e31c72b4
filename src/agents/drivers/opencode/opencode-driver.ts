import { join } from 'node:path';
import { refuse } from '../../../domain/refusal.ts';
import { type AgentDriver, type LaunchRequest, listenOnly, NEEDS_NOTHING } from '../../agent-driver.ts';
import { hostOf } from '../vendor/model-host.ts';
import { realPaths } from '../vendor/real-paths.ts';
import { readSettings } from '../vendor/settings-file.ts';
import { OpencodeReader } from './opencode-reader.ts';

/** opencode, by `opencode run`: the prompt on stdin, events on stdout, errors of its model in the log on stderr. */
export const opencodeDriver: AgentDriver = {
  name: 'opencode',
  program: 'opencode',
  can: { say: false, resume: true, askPermission: false, usage: 'live', thoughts: true },
  hasRemoteModel: true,
  needs({ variables }) {
    const { HOME: home } = variables;
    if (!home) return NEEDS_NOTHING;
    const { config, data } = foldersOf(variables, home);
    return {
      hosts: hostsOf(config, data),
      readPaths: realPaths(SETTINGS.map((name) => join(config, name))),
      // One database for all sessions, with the login beside it.
      writePaths: [`${data}/`],
      // Programs that opencode starts again outside of a sandbox: an agent must not place one there.
      privatePaths: [home, join(data, 'bin')],
    };
  },
  plan({ agent, prompt, isSandboxed, resume, variables }) {
    if (!variables.HOME) return refuse('E_PERMISSION_DENIED', 'HOME is not set, so opencode would not find its login');
    return {
      argv: [
        ...(agent.command ?? ['opencode']),
        ...['run', '--format', 'json', '--thinking', '--print-logs', '--log-level', 'ERROR'],
        ...(agent.namedModel ? ['--model', agent.namedModel] : []),
        ...(resume === null ? [] : ['--session', resume]),
      ],
      env: { ...QUIET, OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: permissions(isSandboxed) }) },
      envNames: ENVIRONMENT,
      stdin: prompt.words,
      readPaths: [],
    };
  },
  converse: () => listenOnly(new OpencodeReader()),
};

/** No updates, no downloads. */
const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
};

/** Without Baton's sandbox it may edit; nobody can be asked for anything else. */
function permissions(isSandboxed: boolean) {
  return isSandboxed ? { edit: 'allow', bash: 'allow' } : { edit: 'allow', bash: 'deny', webfetch: 'deny' };
}

/** Variables by which a user gives opencode the keys of its providers. */
const ENVIRONMENT = [
  ...['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENROUTER_API_KEY'],
  ...['GROQ_API_KEY', 'MISTRAL_API_KEY', 'DEEPSEEK_API_KEY', 'XAI_API_KEY', 'OPENCODE_API_KEY'],
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME'],
];

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

function foldersOf({ XDG_CONFIG_HOME, XDG_DATA_HOME }: LaunchRequest['variables'], home: string) {
  return {
    config: join(XDG_CONFIG_HOME ?? join(home, '.config'), 'opencode'),
    data: join(XDG_DATA_HOME ?? join(home, '.local', 'share'), 'opencode'),
  };
}

/** The providers that the user configured or logged in to. */
function hostsOf(config: string, data: string): readonly string[] {
  const named = ['opencode.json', 'config.json'].map((file) => readSettings(join(config, file)).provider);
  const providers = named.flatMap((all) => Object.entries((all ?? {}) as Record<string, unknown>));
  const own = providers.flatMap(([name, provider]) => {
    const { options } = (provider ?? {}) as { readonly options?: { readonly baseURL?: unknown } };
    const host = typeof options?.baseURL === 'string' ? hostOf(options.baseURL) : null;
    return host === null ? (PROVIDER_HOSTS[name] ?? []) : [host];
  });
  const loggedIn = Object.keys(readSettings(join(data, 'auth.json'))).flatMap((name) => PROVIDER_HOSTS[name] ?? []);
  const found = [...new Set([...own, ...loggedIn])];
  return found.length > 0 ? found : ['opencode.ai'];
}
