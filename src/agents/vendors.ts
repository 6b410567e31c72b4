import type { DriverName, UnreadyAgent } from '../domain/agent/agent.ts';

/** A vendor's program, and how a user gets it and logs in. */
export interface Vendor {
  readonly title: string;
  /** Its name on the PATH. */
  readonly program: string;
  /** The npm package that brings it. */
  readonly package: string;
  /** Older ones lack a flag or print other events. */
  readonly versionMin: string;
  readonly login: string;
  /** It has models that need no login. */
  readonly hasFreeModels?: boolean;
}

/** Every vendor that Baton has a driver for, and the oldest version of its program that the driver understands. */
export const VENDORS = {
  claude: {
    title: 'Claude Code',
    program: 'claude',
    package: '@anthropic-ai/claude-code',
    // The first with --max-budget-usd.
    versionMin: '2.0.30',
    login: 'run claude and type /login, or set ANTHROPIC_API_KEY',
  },
  codex: {
    title: 'Codex',
    program: 'codex',
    package: '@openai/codex',
    versionMin: '0.90.0',
    login: 'run codex login, or set OPENAI_API_KEY',
  },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    package: '@google/gemini-cli',
    // The first with --skip-trust.
    versionMin: '0.40.0',
    login: 'run gemini and log in, or set GEMINI_API_KEY',
  },
  opencode: {
    title: 'opencode',
    program: 'opencode',
    package: 'opencode-ai',
    versionMin: '1.2.0',
    login: 'run opencode auth login, or set the API key of its provider',
    hasFreeModels: true,
  },
} as const satisfies Partial<Record<DriverName, Vendor>>;

export function vendorOf(driver: DriverName): Vendor | null {
  return driver in VENDORS ? VENDORS[driver as keyof typeof VENDORS] : null;
}

export function installCommand(vendor: Vendor): string {
  return `npm i -g ${vendor.package}`;
}

/** The agents of vendors that go by none of these names: a person may ask for one that is not installed. */
export function absentAgents(names: readonly string[]): readonly UnreadyAgent[] {
  return Object.entries(VENDORS)
    .filter(([name]) => !names.includes(name))
    .map(([name, vendor]) => ({ name, missing: installCommand(vendor), isAbsent: true }));
}

/** Why a version will not do; null if it will. Compares the three numbers, so a preview counts as its release. */
export function tooOld(vendor: Vendor, version: string): string | null {
  const parts = (text: string) => text.split(/[.-]/, 3).map(Number);
  const [wanted, found] = [parts(vendor.versionMin), parts(version)];
  const at = wanted.findIndex((part, place) => part !== (found[place] ?? 0));
  if (at === -1 || (found[at] ?? 0) > (wanted[at] ?? 0)) return null;
  return `${vendor.title} ${version} is too old: Baton needs ${vendor.versionMin} or newer; ${installCommand(vendor)}`;
}
