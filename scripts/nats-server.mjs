// The nats-server that tests and examples of federation start: unpacked from Debian's own package into the user's cache, nothing
// installed. The newest of the listed releases that can be fetched counts; a nats-server on the PATH is used where none can.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const RELEASES = ['forky', 'trixie', 'bookworm'];
const SOURCES = '/etc/apt/sources.list.d/debian.sources';
export const NATS_COMMAND = 'node scripts/nats-server.mjs';

function cacheFolder() {
  const { BATON_NATS: own, XDG_CACHE_HOME: cache } = process.env;
  return own || join(cache || join(homedir(), '.cache'), 'baton-nats');
}

/** The program; null if there is none. @returns {string | null} */
export function natsServer() {
  const cached = join(cacheFolder(), 'nats-server');
  if (existsSync(cached)) return cached;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'nats-server')).find((file) => existsSync(file)) ?? null;
}

/** A reason to skip a test, or false. @returns {string | false} */
export function noNatsServer() {
  return natsServer() === null ? `needs nats-server: ${NATS_COMMAND}` : false;
}

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  return spawnSync(command, args, { cwd, stdio: 'ignore', timeout: 120_000 }).status === 0;
}

/** @param {string} release @param {string} folder @returns {boolean} */
function fetchFrom(release, folder) {
  for (const part of ['only', 'lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, part), { recursive: true });
  const [first = ''] = readFileSync(SOURCES, 'utf8').split(/\n\n/);
  writeFileSync(join(folder, 'only', 'x.sources'), `${first.replace(/^Suites:.*/m, `Suites: ${release}`)}\n`);
  const options = [
    'Dir::Etc::sourcelist=/dev/null',
    `Dir::Etc::sourceparts=${join(folder, 'only')}`,
    `Dir::State::lists=${join(folder, 'lists')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
  ].flatMap((option) => ['-o', option]);
  if (!run('apt-get', [...options, 'update'], folder)) return false;
  if (!run('apt-get', [...options, 'download', 'nats-server'], folder)) return false;
  const deb = readdirSync(folder).find((name) => /^nats-server_.*\.deb$/.test(name));
  return deb !== undefined && run('dpkg-deb', ['-x', deb, 'x'], folder);
}

/** Fetches the server unless it is there. @returns {string} a note about the outcome */
export function installNatsServer() {
  const cached = join(cacheFolder(), 'nats-server');
  if (existsSync(cached)) return 'is in the cache';
  if (!existsSync(SOURCES)) return 'this is no Debian: install nats-server by hand';
  const draft = join(cacheFolder(), `.draft-${process.pid}`);
  try {
    for (const release of RELEASES) {
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft, { recursive: true });
      if (!fetchFrom(release, draft)) continue;
      const program = ['usr/sbin', 'usr/bin'].map((part) => join(draft, 'x', part, 'nats-server')).find(existsSync);
      if (!program) continue;
      renameSync(program, cached);
      return spawnSync(cached, ['--version'], { encoding: 'utf8' }).stdout.trim();
    }
    return 'could not be fetched';
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`nats-server: ${installNatsServer()}\n${natsServer() ?? 'none'}\n`);
}
