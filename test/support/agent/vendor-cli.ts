import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentCliBin, agentClis, INSTALL_COMMAND } from '../../../scripts/agent-clis.mjs';
import { noBubblewrap } from '../test-process.ts';

/** A vendor's command line, set up as a user has it whose model is at an address of this machine. */
export interface VendorCli {
  /** The name of the agent, and of its folder in the cache. */
  readonly name: string;
  /** As AOP names it. */
  readonly provider: string;
  /** It does not report the exit code of a command that printed something. */
  readonly hidesExitCode?: boolean;
  /** It reports the tokens of its last request only, or leaves some requests out. */
  readonly hidesTokens?: boolean;
  /** Words reach it while it works. */
  readonly hears?: boolean;
  /** It waits in silence for as long as its vendor asks it to. */
  readonly hidesQuota?: boolean;
  /** It does not report the time at which its vendor serves it again. */
  readonly hidesReset?: boolean;
  /** It asks its model more than its work needs, with tools, so that a script of several turns has no fixed order. */
  readonly asksAside?: boolean;
  /** Writes the vendor's settings into a home. Returns the variables of its user. */
  settle(home: string, url: string): Readonly<Record<string, string>>;
}

const KEY = 'scripted-key-0123456789';

export const CLAUDE: VendorCli = {
  name: 'claude',
  hears: true,
  provider: 'CLAUDE',
  hidesReset: true,
  settle: (_home, url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
};

export const CODEX: VendorCli = {
  name: 'codex',
  provider: 'CODEX',
  settle(home, url) {
    write(
      join(home, '.codex', 'config.toml'),
      [
        'model = "gpt-5.5"',
        'model_provider = "scripted"',
        '[model_providers.scripted]',
        'name = "scripted"',
        `base_url = "${url}/v1"`,
        'env_key = "SCRIPTED_API_KEY"',
        'wire_api = "responses"',
        'request_max_retries = 2',
        'stream_max_retries = 2',
      ].join('\n'),
    );
    return { SCRIPTED_API_KEY: KEY };
  },
};

export const GEMINI: VendorCli = {
  name: 'gemini',
  provider: 'GEMINI',
  hidesExitCode: true,
  settle(home, url) {
    const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
    write(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
    return { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url };
  },
};

export const OPENCODE: VendorCli = {
  name: 'opencode',
  provider: 'OTHER',
  hidesReset: true,
  settle(home, url) {
    const model = { name: 'Scripted', tool_call: true, limit: { context: 100_000, output: 8_000 } };
    const scripted = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: `${url}/v1`, apiKey: KEY },
      models: { 'scripted-model': model },
    };
    const settings = {
      share: 'disabled',
      model: 'scripted/scripted-model',
      small_model: 'scripted/scripted-model',
      enabled_providers: ['scripted'],
      provider: { scripted },
    };
    write(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify(settings));
    return {};
  },
};

/** An agent of the Agent Client Protocol, as the user's configuration names it. */
function acpAgent(home: string, name: string, settings: object): void {
  const config = { agents: { [name]: { driver: 'acp', ...settings } } };
  write(join(home, '.config', 'baton', 'config.yaml'), JSON.stringify(config));
}

export const GOOSE: VendorCli = {
  name: 'goose',
  provider: 'OTHER',
  hidesQuota: true,
  hidesTokens: true,
  settle(home, url) {
    const variables = {
      ...{ GOOSE_PROVIDER: 'openai', GOOSE_MODEL: 'gpt-4o', GOOSE_MODE: 'auto', GOOSE_DISABLE_KEYRING: '1' },
      ...{ OPENAI_HOST: url, OPENAI_API_KEY: KEY },
    };
    acpAgent(home, 'goose', {
      command: ['goose', 'acp'],
      env: Object.keys(variables),
      hosts: [new URL(url).host],
      writes: ['~/.local/share/goose', '~/.local/state/goose'],
    });
    return variables;
  },
};

export const QWEN: VendorCli = {
  name: 'qwen',
  provider: 'OTHER',
  hidesQuota: true,
  hidesTokens: true,
  asksAside: true,
  settle(home, url) {
    const variables = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY, OPENAI_MODEL: 'scripted-model' };
    acpAgent(home, 'qwen', {
      command: ['qwen', '--acp', '--auth-type', 'openai', '--approval-mode', 'yolo'],
      env: Object.keys(variables),
      hosts: [new URL(url).host],
      writes: ['~/.qwen'],
    });
    return variables;
  },
};

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Why the tests of a vendor cannot run here; false if they can. */
export function noVendorCli(name: string): string | false {
  const { version } = agentClis()[name] ?? {};
  if (agentCliBin(name) === null) return `${name} ${version} is not in the cache: ${INSTALL_COMMAND} installs it`;
  return noBubblewrap;
}
