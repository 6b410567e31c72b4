import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { scratchFolder } from '../../../../test/support/test-process.ts';
import { ForwardProxy, PROXY_SOCKET } from './forward-proxy.ts';

const folder = scratchFolder();
const refused: string[] = [];
const outside = {
  resolve: async (name: string) => {
    if (name === 'gone.example') throw new Error('ENOTFOUND');
    return ['93.184.216.34'];
  },
  connect: () => connect({ path: join(folder, 'nobody') }),
};
const tried: (string | null)[] = [];
const proxy = new ForwardProxy({ hosts: ['gone.example', 'dead.example'], loopbackPorts: [] }, outside, {
  onRefused: (host) => refused.push(host),
  onTried: (host, problem) => tried.push(host, problem),
});
after(() => proxy.close());

async function ask(path: string): Promise<string> {
  const asked = request({ socketPath: join(folder, PROXY_SOCKET), path }).end();
  const [answer] = await new Promise<[import('node:http').IncomingMessage]>((resolve) =>
    asked.once('response', (response) => resolve([response])),
  );
  return `${answer.statusCode} ${await text(answer)}`;
}

test('a host outside of the grant is refused and reported; a granted one without an address is another failure', async () => {
  await proxy.listen(folder, []);
  assert.equal(await ask('http://other.example/'), '403 http://other.example/ is not granted\n');
  assert.match(await ask('http://gone.example/'), /^502 http:\/\/gone\.example\/ has no address here/);
  assert.deepEqual(refused, ['other.example:80']);
  assert.deepEqual(tried.splice(0), ['gone.example:80', 'it has no address here; is this machine online?']);
});

test('a granted host that does not take the connection is told, with why', async () => {
  const asked = request({ socketPath: join(folder, PROXY_SOCKET), path: 'http://dead.example/' }).end();
  await once(asked, 'error');
  assert.deepEqual(tried, ['dead.example:80', 'ENOENT']);
});
