import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { freePort, type Server, startServer } from './server.ts';

/** Every answer after its fsync; no snapshots beside the log, which would only cost it time. */
export async function startRedis(folder: string): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const address = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  return startServer({
    command: 'redis-server',
    args: [...address, ...durable],
    port,
    stopSignal: 'SIGTERM',
    isUp: () => spawnSync('redis-cli', ['-h', '127.0.0.1', '-p', String(port), 'ping']).stdout?.toString() === 'PONG\n',
  });
}
