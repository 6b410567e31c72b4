import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OpenServer, ServerOnDemand } from './server-on-demand.ts';

/** A server that opens when the test says so. */
function slowServer() {
  const log: string[] = [];
  const opened = Promise.withResolvers<void>();
  const server = new ServerOnDemand(async () => {
    log.push('opens');
    await opened.promise;
    const agents = { url: 'http://127.0.0.1:1', port: 1, admit: () => '', release: () => undefined };
    const link = () => ({ id: '', url: '', expiresAt: '' });
    return {
      agents,
      file: {} as OpenServer['file'],
      link,
      isLinkUsed: () => false,
      close: async () => void log.push('closes'),
    };
  });
  return { server, log, let: opened };
}

test('a server opens once, whoever asks', async () => {
  const { server, log, let: opened } = slowServer();
  const asked = [server.open(), server.open()];
  assert.equal(server.agents, null);
  opened.resolve();
  const [one, two] = await Promise.all(asked);
  assert.equal(one, two);
  assert.equal(server.agents, one?.agents);
  assert.deepEqual(log, ['opens']);
});

test('a server that is closed while it opens is closed once it is open', async () => {
  const { server, log, let: opened } = slowServer();
  const asked = server.open();
  const closed = server.close();
  opened.resolve();
  await Promise.all([asked, closed]);
  assert.deepEqual(log, ['opens', 'closes']);
});

test('a node that shuts down opens no server', async () => {
  const { server, log } = slowServer();
  await server.close();
  await assert.rejects(server.open(), /shutting down/);
  assert.deepEqual(log, []);
});

test('a server that could not be opened is told to everybody who asks, and closes without an error', async () => {
  const { server, let: opened } = slowServer();
  const asked = server.open();
  opened.reject(new Error('no port'));
  await assert.rejects(asked, /no port/);
  await assert.rejects(server.open(), /no port/);
  await server.close();
});
