import { existsSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import type { AgentSettings, Config } from '../config/schema.ts';
import { type Setting, splitKey } from '../config/settings.ts';
import { type AgentFacts, type AgentRole, type Provider, providerOf } from '../domain/agent/agent.ts';
import type { AgentDriver, DriverAbilities } from './agent-driver.ts';
import { detectVendor, fileToAsk, type VendorPlaces } from './detect-vendor.ts';
import { type CommandPlaces, ownFiles } from './own-files.ts';
import { resolveCommand } from './process/resolve-command.ts';
import { installCommand, VENDORS, type Vendor, vendorOf } from './vendors.ts';

/** An agent that the configuration names, or that is built in. */
export interface FoundAgent extends AgentFacts {
  readonly hasRemoteModel: boolean;
  /** The version of its program; null if it is not known. */
  readonly version: string | null;
  /** With its vendor; null if it has none, or if that is not known. */
  readonly isLoggedIn: boolean | null;
  readonly can: DriverAbilities;
  /** Why it cannot be given work; null if it can. */
  readonly missing: string | null;
}

export interface AgentSources extends CommandPlaces, VendorPlaces {
  readonly agents: NonNullable<Config['agents']>;
  readonly drivers: readonly AgentDriver[];
  /** The root is where agents work, so a relative script has to be there. */
  readonly isWorkspace: boolean;
}

const PROVIDERS: readonly string[] = ['CLAUDE', 'CODEX', 'GEMINI', 'LOCAL', 'OTHER'] satisfies Provider[];
const ROLES: readonly string[] = ['researcher', 'architect', 'developer', 'reviewer'] satisfies AgentRole[];

/** Every agent that is configured or built in, usable or not, by name. Reads only, starts nothing. */
export function findAgents(sources: AgentSources): FoundAgent[] {
  return configuredAgents(sources)
    .map(([name, settings]) => findAgent(name, settings, sources))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The programs of vendors whose files do not name their version, so that they have to be asked. */
export function programsToAsk(sources: AgentSources): readonly string[] {
  const files = configuredAgents(sources).map(([, { driver: name, command = null }]) => {
    const driver = sources.drivers.find((each) => each.name === name);
    return driver === undefined ? null : fileToAsk(driver, command, sources);
  });
  return [...new Set(files)].filter((file) => file !== null);
}

function configuredAgents(sources: AgentSources): readonly [name: string, settings: AgentSettings][] {
  const all: Record<string, AgentSettings> = {
    demo: { driver: 'demo' },
    ...agentsOnPath(sources),
    ...sources.agents,
  };
  return Object.entries(all);
}

/** A vendor's program on the PATH, sound or broken, is an agent without a line of configuration. */
function agentsOnPath(sources: AgentSources): Record<string, AgentSettings> {
  const found = sources.drivers.filter(({ program }) => program !== undefined && isOnPath(program, sources));
  return Object.fromEntries(found.map(({ name }) => [name, { driver: name }]));
}

function isOnPath(program: string, { root, path }: Pick<AgentSources, 'root' | 'path'>): boolean {
  const found = resolveCommand({ argv: [program], cwd: root, env: { PATH: path } });
  return found.kind === 'found' || found.isPresent;
}

/** The vendors that Baton has a driver for and whose program is not on the PATH. */
export function vendorsNotInstalled(places: Pick<AgentSources, 'root' | 'path'>): readonly Vendor[] {
  return Object.values(VENDORS).filter(({ program }) => !isOnPath(program, places));
}

function findAgent(name: string, settings: AgentSettings, sources: AgentSources): FoundAgent {
  const { driver: driverName, role, aop_versions_supported: versionsRead = null } = settings;
  const driver = sources.drivers.find((each) => each.name === driverName) ?? null;
  const own = settings.command ? ownFiles(settings.command, sources, settings.files) : { command: null, ownPaths: [] };
  const { command } = own;
  const vendorModel = settings.model === undefined ? (driver?.vendorModel?.(sources) ?? null) : null;
  return {
    name,
    driver: driverName,
    provider: providerNamed(settings),
    model: settings.model ?? (driverName === 'demo' ? 'demo' : name),
    namedModel: settings.model ?? null,
    ...(vendorModel !== null && { vendorModel }),
    role: ROLES.includes(role ?? '') ? (role as AgentRole) : 'developer',
    command,
    get ownPaths() {
      return own.ownPaths;
    },
    ...(settings.env && { env: settings.env }),
    ...(settings.hosts && { hosts: settings.hosts }),
    ...(settings.writes && { writes: settings.writes }),
    ...(settings.media_types && { mediaTypes: settings.media_types }),
    versionsRead,
    hasRemoteModel: driver?.hasRemoteModel ?? true,
    timeoutSeconds: settings.timeout_seconds ?? null,
    can: driver?.can ?? CAN_NOTHING,
    ...(driver
      ? stateOf(driver, command, sources)
      : { ...UNKNOWN, missing: `this Baton has no driver ${driverName} yet` }),
  };
}

const CAN_NOTHING: DriverAbilities = {
  say: false,
  resume: false,
  askPermission: false,
  usage: 'none',
  thoughts: false,
};

const UNKNOWN = { version: null, isLoggedIn: null };

function stateOf(driver: AgentDriver, command: readonly string[] | null, sources: AgentSources) {
  const lacking = whyNotStarted(command ?? programOf(driver), sources);
  const vendor = command === null ? vendorOf(driver.name) : null;
  const missing = lacking !== null && vendor !== null ? `${lacking}: ${installCommand(vendor)}` : lacking;
  const { version, isLoggedIn, problem } = detectVendor(driver, command, sources);
  return { version, isLoggedIn, missing: missing ?? problem };
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
    return [{ name, driver, ...about, ...UNKNOWN, can: CAN_NOTHING, missing }];
  });
}

interface UntrustedAgent extends Pick<FoundAgent, 'name' | 'driver' | 'version' | 'isLoggedIn' | 'can'> {
  readonly provider: string;
  readonly model: string;
  readonly role: string;
  readonly missing: string;
}
