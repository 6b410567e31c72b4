import { existsSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import type { AgentSettings, Config } from '../config/schema.ts';
import { type Setting, splitKey } from '../config/settings.ts';
import { type AgentFacts, type AgentRole, type Provider, providerOf } from '../domain/agent.ts';
import type { AgentDriver } from './agent-driver.ts';
import { type CommandPlaces, ownFiles } from './own-files.ts';
import { resolveCommand } from './process/resolve-command.ts';

/** An agent that the configuration names, or that is built in. */
export interface FoundAgent extends AgentFacts {
  readonly hasRemoteModel: boolean;
  /** Why it cannot be given work; null if it can. */
  readonly missing: string | null;
}

export interface AgentSources extends CommandPlaces {
  readonly agents: NonNullable<Config['agents']>;
  readonly drivers: readonly AgentDriver[];
  /** The root is where agents work, so a relative script has to be there. */
  readonly isWorkspace: boolean;
}

const PROVIDERS: readonly string[] = ['CLAUDE', 'CODEX', 'GEMINI', 'LOCAL', 'OTHER'] satisfies Provider[];
const ROLES: readonly string[] = ['researcher', 'architect', 'developer', 'reviewer'] satisfies AgentRole[];

/** Every agent that is configured or built in, usable or not, by name. Reads only, starts nothing. */
export function findAgents(sources: AgentSources): FoundAgent[] {
  const configured: Record<string, AgentSettings> = {
    demo: { driver: 'demo' },
    ...agentsOnPath(sources),
    ...sources.agents,
  };
  return Object.entries(configured)
    .map(([name, settings]) => findAgent(name, settings, sources))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** A vendor's program on the PATH is an agent without a line of configuration. */
function agentsOnPath({ drivers, root, path }: AgentSources): Record<string, AgentSettings> {
  const isThere = (program: string) =>
    resolveCommand({ argv: [program], cwd: root, env: { PATH: path } }).kind === 'found';
  const found = drivers.filter(({ program }) => program !== undefined && isThere(program));
  return Object.fromEntries(found.map(({ name }) => [name, { driver: name }]));
}

function findAgent(name: string, settings: AgentSettings, sources: AgentSources): FoundAgent {
  const { driver: driverName, role, aop_versions_supported: aopVersions = null } = settings;
  const driver = sources.drivers.find((each) => each.name === driverName) ?? null;
  const { command, ownPaths } = settings.command
    ? ownFiles(settings.command, sources, settings.files)
    : { command: null, ownPaths: [] };
  return {
    name,
    driver: driverName,
    provider: providerNamed(settings),
    model: settings.model ?? (driverName === 'demo' ? 'demo' : name),
    namedModel: settings.model ?? null,
    role: ROLES.includes(role ?? '') ? (role as AgentRole) : 'developer',
    command,
    ownPaths,
    aopVersions,
    hasRemoteModel: driver?.hasRemoteModel ?? true,
    timeoutSeconds: settings.timeout_seconds ?? null,
    missing: driver
      ? whyNotStarted(command ?? programOf(driver), sources)
      : `this Baton has no driver ${driverName} yet`,
  };
}

/** A name that is none of the five is OTHER. */
function providerNamed({ provider, driver }: AgentSettings): Provider {
  if (provider === undefined) return providerOf(driver);
  const name = provider.toUpperCase();
  return PROVIDERS.includes(name) ? (name as Provider) : 'OTHER';
}

function programOf({ program }: AgentDriver): readonly string[] | null {
  return program === undefined ? null : [program];
}

function whyNotStarted(command: readonly string[] | null, { root, path, isWorkspace }: AgentSources): string | null {
  if (command === null) return null;
  const found = resolveCommand({ argv: command, cwd: root, env: { PATH: path } });
  return found.kind === 'found' ? whyNoScript(command, isWorkspace ? root : null) : found.reason;
}

const INTERPRETERS = /^(sh|bash|dash|zsh|node|nodejs|bun|tsx|python[\d.]*|ruby|perl|php)$/;
const SCRIPT = /\/|\.(sh|[cm]?[jt]s|py|rb|pl|php)$/;

/** An interpreter starts without its script, and fails at the first task. `-c` and its like need no file. */
function whyNoScript([program = '', ...words]: readonly string[], root: string | null): string | null {
  const [first = ''] = words;
  if (!INTERPRETERS.test(basename(program)) || first.startsWith('-') || !SCRIPT.test(first)) return null;
  if (root === null && !isAbsolute(first)) return null;
  return existsSync(resolve(root ?? '/', first)) ? null : `its script ${resolve(root ?? '/', first)} does not exist`;
}

/** Agents of a file that the user has not trusted yet: listed, and not started. */
export function untrustedAgents(withheld: readonly Setting[]): readonly UntrustedAgent[] {
  return withheld.flatMap(({ key, value, origin }) => {
    const [part, name] = splitKey(key);
    if (part !== 'agents' || name === null) return [];
    const { driver, provider, model, role } = value as AgentSettings;
    const missing = `${origin} names it, and you have not trusted that file: baton trust`;
    const about = { provider: provider ?? providerOf(driver), model: model ?? name, role: role ?? 'developer' };
    return [{ name, driver, ...about, missing }];
  });
}

interface UntrustedAgent {
  readonly name: string;
  readonly driver: string;
  readonly provider: string;
  readonly model: string;
  readonly role: string;
  readonly missing: string;
}
