import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { StatusAnswer } from '../../../src/api/contract.ts';
import { startHttpServer } from '../../../src/api/http/start-http-server.ts';
import { NodeFault } from '../../../src/api/node-fault.ts';
import type { TaskView } from '../../../src/api/task/task-view.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { processStart } from '../../../src/platform/process/process-start.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { RawStream, rawExchange, requestText } from '../../support/node/raw-http.ts';
import { type SelfSigned, selfSigned } from '../../support/node/self-signed.ts';
import { noExternal, TestServer, TOKEN } from '../../support/node/test-server.ts';
import { linesOf } from '../../support/run-baton.ts';

const scratch = scratchFolder('tls');
const NAME = 'node.test';
const tls = selfSigned(scratch, [`DNS:${NAME}`, 'DNS:localhost', 'IP:127.0.0.1']);

interface HttpsRequest {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

describe('a server that other machines can reach', { skip: tls === null && 'there is no openssl' }, () => {
  const { key, cert, certFile } = tls as SelfSigned;
  let server: TestServer;
  let port: number;

  before(async () => {
    const waits = { headersMsMax: 300, checkMs: 50 };
    server = await TestServer.open({ host: '0.0.0.0', tls: { key, cert }, names: [NAME], waits });
    port = server.http.port;
  });

  /** Asks as a client that trusts the certificate, wherever the name leads. */
  function ask(
    host: string,
    { path = '/v1/status', method = 'GET', headers = {} }: HttpsRequest = {},
  ): Promise<number> {
    const given = { host, authorization: `Bearer ${TOKEN}`, ...headers };
    const options = { host: '127.0.0.1', port, path, method, headers: given, ca: cert, servername: NAME, agent: false };
    return new Promise((resolve, reject) => {
      const sent = request(options, (answer) => resolve(answer.resume().statusCode ?? 0));
      sent.on('error', reject).end();
    });
  }

  test('is not opened without a key, a certificate and a token that cannot be guessed', async () => {
    const { local, at } = server;
    const clientFor = () => local;
    const parts = {
      clientFor,
      ledger: at.ledger,
      timer: systemTimer(),
      clock: systemClock(),
      isReady: () => true,
      onFault: () => {},
      external: noExternal,
      port: 0,
    };
    const all = { ...parts, host: '0.0.0.0', token: TOKEN, tls: { key, cert } };
    for (const missing of [{ tls: { key: '', cert } }, { tls: { key, cert: '' } }, { token: '' }, { token: 'secret' }])
      assert.ok(isRefusal(await startHttpServer({ ...all, ...missing })), JSON.stringify(missing).slice(0, 40));
    const { tls: _none, ...plain } = all;
    assert.ok(isRefusal(await startHttpServer(plain)));
  });

  test('answers at its names over TLS, to who has the token', async () => {
    assert.equal(server.http.url, `https://127.0.0.1:${port}`);
    assert.equal(await ask(`${NAME}:${port}`), 200);
    assert.equal(await ask(`127.0.0.1:${port}`), 200);
    assert.equal(await ask(`${NAME}:${port}`, { headers: { authorization: 'Bearer x' } }), 401);
    assert.equal(await ask(`${NAME}:${port}`, { path: '/healthz', headers: { authorization: '' } }), 200);
  });

  test('speaks no plain HTTP and no TLS of old', async () => {
    const plain = requestText('GET /v1/status HTTP/1.1', [`Host: ${NAME}:${port}`, `Authorization: Bearer ${TOKEN}`]);
    assert.doesNotMatch(await rawExchange(port, plain), /HTTP/);
    const old = connectTls({
      host: '127.0.0.1',
      port,
      ca: cert,
      servername: NAME,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    });
    await new Promise((resolve) => old.once('error', resolve).once('secureConnect', () => assert.fail('TLS 1.1')));
  });

  test('holds to its Host and Origin as a server on loopback does', async () => {
    const others = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
    const addresses = others
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    for (const host of [
      'evil.test',
      `evil.test:${port}`,
      NAME,
      `0.0.0.0:${port}`,
      ...addresses.map((one) => `${one}:${port}`),
    ])
      assert.equal(await ask(host), 403, host);
    const at = (origin: string) => ask(`${NAME}:${port}`, { headers: { origin } });
    assert.equal(await at(`https://${NAME}:${port}`), 200);
    for (const origin of [`http://${NAME}:${port}`, `https://${NAME}`, 'https://evil.test', 'null'])
      assert.equal(await at(origin), 403, origin);
    assert.equal(await ask(`${NAME}:${port}`, { method: 'OPTIONS' }), 405);
  });

  test('shows out who never begins to speak TLS', async () => {
    assert.equal(await new RawStream(port, '').closed(), '');
    assert.equal(await new RawStream(port, '\x16\x03\x01').closed(), '');
  });

  test('closes though somebody has not begun to speak TLS', async () => {
    const own = await TestServer.open({ isTreeless: true, host: '0.0.0.0', tls: { key, cert } });
    const silent = new RawStream(own.http.port, '');
    await once(silent.socket, 'connect');
    await own.http.close();
    assert.equal(await silent.closed(), '');
  });

  test('is reached by the command line where its certificate is trusted, and by nobody who does not trust it', async () => {
    const data = new DataFolder(join(scratch, 'data'));
    await data.json('init');
    const facts = { ...server.address, pid: process.pid, pidStart: processStart(process.pid) ?? '' };
    writeFileSync(join(data.path, 'node.json'), JSON.stringify(facts), { mode: 0o600 });
    const environment = { NODE_EXTRA_CA_CERTS: certFile };
    const made = await data.run(['task', 'new', '--title', 'Over TLS', '--json'], { environment });
    assert.equal(made.status, 0, made.stderr);
    const status = await data.run(['status', '--json'], { environment });
    assert.equal(linesOf<StatusAnswer>(status)[0]?.waiting[0]?.id, linesOf<TaskView>(made)[0]?.id);
    const distrusted = await data.run(['status', '--json']);
    assert.deepEqual([distrusted.status, linesOf<{ code: string }>(distrusted)[0]?.code], [1, 'node_failed']);
    await assert.rejects(server.client.status(), (error) => error instanceof NodeFault);
  });
});
