import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type Server, startServer } from './server.ts';

const DEBIAN_FOLDER = '/usr/lib/postgresql';
const CONNECTIONS_MAX = 100;

/** The folder of Debian's newest server; null without one. */
export function postgresqlPrograms(): string | null {
  if (!existsSync(DEBIAN_FOLDER)) return null;
  const versions = readdirSync(DEBIAN_FOLDER).filter((name) => existsSync(join(DEBIAN_FOLDER, name, 'bin', 'initdb')));
  const newest = versions.sort((one, other) => Number(other) - Number(one))[0];
  return newest === undefined ? null : join(DEBIAN_FOLDER, newest, 'bin');
}

/** Every commit after its fsync, with room enough that no checkpoint falls into a round. */
export async function startPostgresql(folder: string): Promise<Server> {
  const programs = postgresqlPrograms();
  if (programs === null) throw new Error('PostgreSQL is not here');
  const user = userOf();
  mkdirSync(folder, { recursive: true });
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const initial = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8'];
  const made = spawnSync(join(programs, 'initdb'), initial, { ...user, cwd: folder });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'on',
    synchronous_commit: 'on',
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    max_connections: String(CONNECTIONS_MAX),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return startServer({
    command: join(programs, 'postgres'),
    args: ['-D', data, '-p', String(port), ...args],
    port,
    ...(user ? { user } : {}),
    stopSignal: 'SIGINT',
    isUp: () => spawnSync(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-q']).status === 0,
  });
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
function userOf(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ask = (flag: string) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString());
  return { uid: ask('-u'), gid: ask('-g') };
}
