import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer, ServerKind } from './peer.ts';
import { postgresqlPrograms } from './postgresql-server.ts';

const DEBIAN_PACKAGE: Readonly<Record<ServerKind, string>> = { redis: 'redis-server', postgresql: 'postgresql' };

export interface Installing {
  /** The folder for files of peers; git ignores it. */
  readonly cache: string;
  /** Whether the machine's own packages may be changed. */
  readonly mayInstall: boolean;
}

/** The folder with the peer's packages, or the sentence that says how to get what is missing. */
export function installPeer(peer: Peer, { cache, mayInstall }: Installing): { folder: string } | { missing: string } {
  const missing = installServer(peer.server, mayInstall);
  if (missing !== null) return { missing };
  const folder = join(cache, `peers-${peer.name.toLowerCase()}`);
  if (peer.packages.every((each) => isInstalled(folder, each))) return { folder };
  mkdirSync(folder, { recursive: true });
  const args = ['i', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder, ...peer.packages];
  const done = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return done.status === 0 ? { folder } : { missing: `npm ${args.join(' ')}` };
}

function isInstalled(folder: string, wanted: string): boolean {
  const at = wanted.lastIndexOf('@');
  const file = join(folder, 'node_modules', wanted.slice(0, at), 'package.json');
  if (!existsSync(file)) return false;
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version === wanted.slice(at + 1);
}

function installServer(kind: ServerKind, mayInstall: boolean): string | null {
  if (hasServer(kind)) return null;
  const command = `apt-get install -y --no-install-recommends ${DEBIAN_PACKAGE[kind]}`;
  const hint = `${command} (or npm run bench -- tasks --install, as root)`;
  if (!mayInstall) return hint;
  const [program = '', ...args] = command.split(' ');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  spawnSync(program, args, { env, stdio: 'ignore' });
  return hasServer(kind) ? null : hint;
}

function hasServer(kind: ServerKind): boolean {
  if (kind === 'postgresql') return postgresqlPrograms() !== null;
  return spawnSync('redis-server', ['--version']).status === 0;
}
