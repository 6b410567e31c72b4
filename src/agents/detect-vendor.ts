import { basename } from 'node:path';
import { isWithin } from '../domain/work/path-text.ts';
import type { AgentDriver } from './agent-driver.ts';
import { resolveCommand } from './process/resolve-command.ts';
import { type VersionAnswer, versionInFiles } from './program/program-version.ts';
import { installCommand, tooOld, type Vendor, vendorOf } from './vendors.ts';

/** The places in which a vendor's program, its version and its login are found. */
export interface VendorPlaces {
  /** The folder that agents work in. */
  readonly root: string;
  /** The PATH that agents get. */
  readonly path: string;
  /** The environment of the user. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The answers of programs to `--version`. */
  readonly versions: { of(file: string): VersionAnswer | null };
}

export interface DetectedVendor {
  readonly version: string | null;
  readonly isLoggedIn: boolean | null;
  /** Why it cannot work, and what to do; null if it can, as far as Baton knows. */
  readonly problem: string | null;
}

type Command = readonly string[] | null;

/** The version and the login of the vendor's program behind a driver. Starts nothing, and never reads a secret's value out. */
export function detectVendor(driver: AgentDriver, command: Command, places: VendorPlaces): DetectedVendor {
  const vendor = vendorOf(driver.name);
  const found = vendor === null ? null : foundProgram(vendor, command, places);
  if (vendor === null || found === null) return { version: null, isLoggedIn: null, problem: null };
  const answer = versionOf(vendor, found, places);
  const version = answer !== null && 'version' in answer ? answer.version : null;
  // The user's own command may log in by itself, and need not know --version.
  if (!isVendors(vendor, command)) return { version, isLoggedIn: null, problem: null };
  const place = { workspace: places.root, variables: places.variables };
  const isLoggedIn = driver.isLoggedIn?.(place) ?? null;
  const problem = versionProblem(vendor, answer) ?? driver.problem?.(place) ?? loginProblem(vendor, isLoggedIn);
  return { version, isLoggedIn, problem };
}

/** The program of an agent, if only the program itself knows its version. Never one of the workspace: an agent may have put it there. */
export function fileToAsk(driver: AgentDriver, command: Command, places: VendorPlaces): string | null {
  const vendor = vendorOf(driver.name);
  if (vendor === null || !isVendors(vendor, command)) return null;
  const found = foundProgram(vendor, command, places);
  if (found === null || versionInFiles(found.realFile, vendor.package) !== null) return null;
  return [found.file, found.realFile].some((file) => isWithin(places.root, file)) ? null : found.file;
}

function isVendors(vendor: Vendor, command: Command): boolean {
  return command === null || (command.length === 1 && basename(command[0] ?? '') === vendor.program);
}

function foundProgram(vendor: Vendor, command: Command, { root, path }: VendorPlaces) {
  const found = resolveCommand({ argv: command ?? [vendor.program], cwd: root, env: { PATH: path } });
  return found.kind === 'found' ? found : null;
}

interface FoundProgram {
  readonly file: string;
  readonly realFile: string;
}

function versionOf(vendor: Vendor, { file, realFile }: FoundProgram, { versions }: VendorPlaces): VersionAnswer | null {
  const version = versionInFiles(realFile, vendor.package);
  return version === null ? versions.of(file) : { version };
}

function versionProblem(vendor: Vendor, answer: VersionAnswer | null): string | null {
  if (answer !== null && 'problem' in answer) return `${answer.problem}; install it again: ${installCommand(vendor)}`;
  return answer === null ? null : tooOld(vendor, answer.version);
}

function loginProblem(vendor: Vendor, isLoggedIn: boolean | null): string | null {
  return isLoggedIn === false && !vendor.hasFreeModels ? `not logged in: ${vendor.login}` : null;
}
