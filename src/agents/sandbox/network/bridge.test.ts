import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { BRIDGES, scratchFolder } from '../../../../test/support/test-process.ts';
import { type Bridge, socatBridge } from './bridge.ts';

const folder = scratchFolder();

/** Sends everything back, and ends after the other side has. */
const echo: Server = createServer({ allowHalfOpen: true }, (socket) => void socket.on('error', () => {}).pipe(socket));
const cuts: Server = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.destroy()));
const sockets = [join(folder, 'echo.sock'), join(folder, 'cuts.sock')] as const;
await Promise.all([once(echo.listen(sockets[0]), 'listening'), once(cuts.listen(sockets[1]), 'listening')]);
after(() => {
  echo.close();
  cuts.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs the bridge on this machine, where its files lie at their own paths. */
async function open({ commands, mounts }: Bridge): Promise<readonly [echoes: number, cuts: number]> {
  const ports = [await freePort(), await freePort()] as const;
  const routes = ports.map((port, at) => ({ port, socket: sockets[at] ?? '' }));
  for (const command of commands(routes)) {
    const [program = '', ...args] = command.map((word) => mounts.find(({ at }) => at === word)?.from ?? word);
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    after(() => child.kill('SIGKILL'));
  }
  await Promise.all(ports.map(isOpen));
  return ports;
}

async function isOpen(port: number): Promise<void> {
  for (let socket: Socket | null = null; socket === null; ) {
    const trial = connect({ host: '127.0.0.1', port });
    socket = await new Promise((resolve) => {
      trial.once('connect', () => resolve(trial.destroy())).once('error', () => resolve(null));
    });
  }
}

async function talk(port: number, text: Buffer): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }).on('error', () => {});
  socket.end(text);
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  // A connection that breaks is closed too.
  await new Promise((resolve) => socket.on('close', resolve));
  return Buffer.concat(parts);
}

for (const { name, skip, bridge } of BRIDGES) {
  describe(`the bridge ${name}`, { skip }, () => {
    test('carries both directions at once, past every buffer, for several at a time, and the end of each', async () => {
      const [port] = await open(bridge());
      const texts = Array.from({ length: 8 }, (_, at) => Buffer.alloc(4_000_000, `${at} says `));
      const received = await Promise.all(texts.map((text) => talk(port, text)));
      assert.ok(received.every((text, at) => text.equals(texts[at] as Buffer)));
    });

    test('closes a connection whose other side was cut off, and serves the next', async () => {
      const [echoes, breaks] = await open(bridge());
      assert.equal((await talk(breaks, Buffer.alloc(4_000_000, 'x'))).length, 0);
      assert.equal((await talk(echoes, Buffer.from('there'))).toString(), 'there');
    });
  });
}

test('without socat there is no socat bridge', () => {
  assert.equal(socatBridge([join(folder, 'no-such-socat')]), null);
});
