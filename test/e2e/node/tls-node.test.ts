import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { EventView, StatusAnswer } from '../../../src/api/contract.ts';
import { followEvents } from '../../../src/api/http/follow-events.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import type { NodeFile } from '../../../src/platform/files/node-file.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { type SelfSigned, selfSigned } from '../../support/node/self-signed.ts';
import { linesOf } from '../../support/run-baton.ts';

const scratch = scratchFolder('tls-node');
const NAME = 'node.test';
const tls = certificate('own');

function certificate(name: string): SelfSigned | null {
  const folder = join(scratch, name);
  mkdirSync(folder);
  return selfSigned(folder, [`DNS:${NAME}`, 'DNS:*.wild.test', 'IP:127.0.0.1', 'IP:::1']);
}

/** A folder that has been used, and its settings of the server. */
async function folderWith(name: string, http: object): Promise<DataFolder> {
  const data = new DataFolder(join(scratch, name));
  await data.newTask('There before');
  writeFileSync(join(data.path, 'config.yaml'), JSON.stringify({ http }));
  return data;
}

function listing({ path }: DataFolder): string[] {
  return readdirSync(path, { recursive: true }) as string[];
}

describe('a node that other machines are to reach', { skip: tls === null && 'there is no openssl' }, () => {
  const own = tls as SelfSigned;
  const both = { tls_cert: own.certFile, tls_key: own.keyFile };

  test('is not started without what it needs, and nothing is changed', async () => {
    const other = certificate('other') as SelfSigned;
    const host = '0.0.0.0';
    const refused: readonly (readonly [http: object, path: string, message: RegExp])[] = [
      [{ host }, '/http/host', /0\.0\.0\.0 is reachable from other machines.*\n.*set http\.tls_cert and http\.tls_key/],
      [{ host: '::', port: 7420 }, '/http/host', /is reachable from other machines/],
      [{ host, tls_cert: own.certFile }, '/http/tls_key', /http\.tls_key: is not set/],
      [{ host: '127.0.0.1', tls_key: own.keyFile }, '/http/tls_cert', /http\.tls_cert: is not set/],
      [{ host, ...both, tls_cert: join(scratch, 'none.pem') }, '/http/tls_cert', /none\.pem cannot be read: ENOENT/],
      [{ host, ...both, tls_cert: own.keyFile }, '/http/tls_cert', /holds no certificate in PEM/],
      [{ host, ...both, tls_key: own.certFile }, '/http/tls_key', /holds no private key/],
      [{ host, ...both, tls_key: other.keyFile }, '/http/tls_key', /is not the key of the certificate/],
    ];
    const data = await folderWith('refused', {});
    const before = listing(data);
    for (const [http, path, message] of refused) {
      writeFileSync(join(data.path, 'config.yaml'), JSON.stringify({ http }));
      for (const flags of [[], ['-d']]) {
        const run = await data.run(['up', '--json', ...flags]);
        const [error] = linesOf<{ code: string; errors: { path: string }[] }>(run);
        assert.deepEqual(
          [run.status, error?.code, error?.errors[0]?.path],
          [2, 'invalid_config', path],
          JSON.stringify(http),
        );
        assert.match(run.stderr, message);
        assert.deepEqual(listing(data), before);
      }
    }
    const fresh = new DataFolder(join(scratch, 'fresh'));
    assert.equal((await fresh.run(['up'], { environment: { BATON_HTTP_HOST: host } })).status, 2);
    assert.equal(fresh.has(), false);
  });

  test('answers at its names over TLS, and every command of this machine trusts that very certificate', async () => {
    const data = await folderWith('up', { host: '0.0.0.0', ...both });
    after(() => data.run(['down']));
    const { url } = await data.json<{ url: string }>('up', '-d');
    const file = data.readJson<NodeFile & Record<string, unknown>>('node.json');
    assert.deepEqual([file.url, url.startsWith('https://127.0.0.1:')], [url, true]);
    const port = Number(new URL(url).port);
    for (const [host, status] of [
      [`${NAME}:${port}`, 200],
      [`127.0.0.1:${port}`, 200],
      [`[::1]:${port}`, 200],
      [`0.0.0.0:${port}`, 403],
      [`a.wild.test:${port}`, 403],
      [`evil.test:${port}`, 403],
    ] as const)
      assert.equal(await ask(file, host), status, host);
    const made = await data.newTask('Over TLS');
    const { waiting } = await data.json<StatusAnswer>('status');
    assert.ok(waiting.some(({ id }) => id === made.id));
    const stop = new AbortController();
    for await (const event of followEvents(file, { after: 0 }, stop.signal)) {
      if (event.taskId === made.id) stop.abort();
    }
    assert.ok(linesOf<EventView>(await data.run(['events', '--json'])).length > 0);
    assert.deepEqual(await data.json('down'), {
      data: data.path,
      stopped: true,
      pid: file.pid,
      agentsEnded: 0,
    });
  });

  test('gets no token where another certificate is shown', async () => {
    const data = await folderWith('elsewhere', { ...both });
    await data.json('up', '-d');
    const real = data.read('node.json');
    const other = certificate('false') as SelfSigned;
    let requests = 0;
    const server = createServer({ key: other.key, cert: other.cert }, (_request, response) => {
      requests++;
      response.end('{}');
    });
    // A test that fails must leave neither behind.
    after(async () => {
      server.close().closeAllConnections();
      writeFileSync(join(data.path, 'node.json'), real);
      await data.run(['down']);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const file = JSON.parse(real) as NodeFile;
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    writeFileSync(join(data.path, 'node.json'), JSON.stringify({ ...file, url }));
    const run = await data.run(['status', '--json'], { environment: { NODE_EXTRA_CA_CERTS: other.certFile } });
    assert.deepEqual([run.status, linesOf<{ code: string }>(run)[0]?.code], [1, 'node_failed']);
    assert.equal((await data.run(['down'])).status, 2);
    await assert.rejects(followEvents({ ...file, url }, {}).next());
    assert.equal(requests, 0);
    writeFileSync(join(data.path, 'node.json'), real);
    assert.equal((await data.json<TaskView>('task', 'new', 'Mine')).title, 'Mine');
    assert.equal((await data.run(['down'])).status, 0);
  });

  /** As another machine that trusts the certificate would. */
  function ask({ url, token }: NodeFile, host: string): Promise<number> {
    const headers = { host, authorization: `Bearer ${token}` };
    const options = { headers, ca: readFileSync(own.certFile), servername: NAME, agent: false };
    return new Promise((resolve, reject) => {
      const sent = request(`${url}/v1/status`, options, (answer) => resolve(answer.resume().statusCode ?? 0));
      sent.on('error', reject).end();
    });
  }
});
