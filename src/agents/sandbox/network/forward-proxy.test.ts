import assert from 'node:assert/strict';
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
    return ['192.0.2.1'];
  },
  connect: () => connect({ path: join(folder, 'nobody') }),
};
const proxy = new ForwardProxy({ hosts: ['gone.example'], loopbackPorts: [] }, outside, (host) => refused.push(host));
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
});
