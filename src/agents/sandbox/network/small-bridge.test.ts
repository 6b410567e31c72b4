import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { BRIDGES, bridgeCommand } from './small-bridge.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-bridge-'));
after(() => rmSync(folder, { recursive: true }));

/** Says it back, and its own end after the other's. */
const echo: Server = createServer({ allowHalfOpen: true }, (socket) => void socket.on('error', () => {}).pipe(socket));
const cuts: Server = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.destroy()));
const paths = [join(folder, 'echo.sock'), join(folder, 'cuts.sock')] as const;
await Promise.all([once(echo.listen(paths[0]), 'listening'), once(cuts.listen(paths[1]), 'listening')]);
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

async function open([program, text]: readonly [string, string]) {
  const ports = [await freePort(), await freePort()] as const;
  const ways = ports.map((port, at) => `${port}=${paths[at]}`).join(',');
  const child: ChildProcess = spawn(program, ['-e', text, ways], { stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => child.kill('SIGKILL'));
  // The end of its output says that the ports are open.
  await once((child.stdout ?? assert.fail()).resume(), 'end');
  return ports;
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

for (const [name, command] of Object.entries(BRIDGES)) {
  const skip = name === 'perl' && bridgeCommand() !== BRIDGES.perl ? 'no Perl with sockets on this machine' : false;
  describe(`a bridge of ${name}`, { skip }, () => {
    test('carries both directions at once, past every buffer, for several at a time, and the end of each', async () => {
      const [port] = await open(command);
      const texts = Array.from({ length: 8 }, (_, at) => Buffer.alloc(4_000_000, `${at} says `));
      const heard = await Promise.all(texts.map((text) => talk(port, text)));
      assert.ok(heard.every((text, at) => text.equals(texts[at] as Buffer)));
    });

    test('what is cut off on one side is closed on the other, and the next is served', async () => {
      const [echoes, breaks] = await open(command);
      assert.equal((await talk(breaks, Buffer.alloc(4_000_000, 'x'))).length, 0);
      assert.equal((await talk(echoes, Buffer.from('there'))).toString(), 'there');
    });
  });
}
