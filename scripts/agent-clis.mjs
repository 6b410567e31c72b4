// The vendors' command lines that the tests of agents drive: each in a folder of its own in the user's cache, never in
// node_modules. The versions are those of agent-clis.json.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './set-up.mjs';

const AT_ONCE = 3;
const NPM_MS_MAX = 5 * 60 * 1000;
export const INSTALL_COMMAND = 'npm run test:agents';

/** @typedef {{ package: string, version: string, program: string }} AgentCli */

/** @returns {Record<string, AgentCli>} */
export function agentClis() {
  return JSON.parse(readFileSync(join(ROOT, 'scripts', 'agent-clis.json'), 'utf8'));
}

/** BATON_AGENT_CLIS names another folder, as a trial of the newest versions does. */
export function agentCliFolder() {
  const { BATON_AGENT_CLIS: own, XDG_CACHE_HOME: cache } = process.env;
  return own || join(cache || join(homedir(), '.cache'), 'baton-agents');
}

/** The folder with the program of a command line; null if it is not installed. @param {string} name @returns {string | null} */
export function agentCliBin(name) {
  const cli = agentClis()[name];
  const bin = join(agentCliFolder(), name, 'node_modules', '.bin');
  return cli && existsSync(join(bin, cli.program)) ? bin : null;
}

/** @param {string} name @returns {string | null} */
export function installedVersion(name) {
  const cli = agentClis()[name];
  if (!cli || agentCliBin(name) === null) return null;
  const about = join(agentCliFolder(), name, 'node_modules', cli.package, 'package.json');
  return existsSync(about) ? JSON.parse(readFileSync(about, 'utf8')).version : null;
}

/** @param {string[]} args @returns {Promise<{ ok: boolean, output: string }>} */
function npm(args) {
  return new Promise((resolve) => {
    const child = spawn('npm', args, { cwd: agentCliFolder(), stdio: ['ignore', 'pipe', 'pipe'], timeout: NPM_MS_MAX });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output: output.trim() }));
  });
}

/** @param {string} name @returns {Promise<string>} */
export async function newestVersion(name) {
  const { ok, output } = await npm(['view', agentClis()[name]?.package ?? name, 'version']);
  const version = versionIn(output);
  if (!ok || version === null) throw new Error(`npm does not tell the newest version of ${name}: ${output}`);
  return version;
}

/** npm prints warnings about its settings beside the answer. @param {string} output @returns {string | null} */
export function versionIn(output) {
  return /^\d+\.\d+\.\d+\S*$/m.exec(output)?.[0] ?? null;
}

/** An interrupted installation leaves no folder that looks whole. @param {string} name @param {string} version */
async function installOne(name, version) {
  const folder = join(agentCliFolder(), name);
  const draft = join(agentCliFolder(), `.${name}-${process.pid}`);
  mkdirSync(draft, { recursive: true });
  try {
    const what = `${agentClis()[name]?.package}@${version}`;
    const quiet = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--fetch-retries=1'];
    const { ok, output } = await npm(['install', ...quiet, '--prefix', draft, what]);
    if (!ok) throw new Error(`npm did not install ${what}: ${output.split('\n').slice(-4).join(' ')}`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Installs the command lines that are absent or of another version.
 * @param {Record<string, string>} versions by name
 * @returns {Promise<string[]>} the names that were installed
 */
export async function installAgentClis(versions) {
  mkdirSync(agentCliFolder(), { recursive: true });
  const absent = Object.entries(versions).filter(([name, version]) => installedVersion(name) !== version);
  const waiting = [...absent];
  const take = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await installOne(...next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return absent.map(([name, version]) => `${name} ${version}`);
}

/** @returns {Record<string, string>} the versions of agent-clis.json, by name */
export function pinnedVersions() {
  return Object.fromEntries(Object.entries(agentClis()).map(([name, { version }]) => [name, version]));
}
