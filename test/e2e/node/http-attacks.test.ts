import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { startHttpServer } from '../../../src/api/http/start-http-server.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { AUTHORIZED, openAttacked } from '../../support/node/attacked-server.ts';
import { rawExchange, requestText, statusOf } from '../../support/node/raw-http.ts';
import { noExternal, TOKEN } from '../../support/node/test-server.ts';

// The attack cases of a loopback server. Raw sockets where no client would send such a thing.

const { server, port, host, statusFor, assertNothingMade } = await openAttacked();

describe('Host', () => {
  const foreign = [
    'evil.test',
    '127.0.0.1.evil.test:PORT',
    'localhost.evil.test:PORT',
    '0.0.0.0:PORT',
    '[::]:PORT',
    '2130706433:PORT',
    '0177.0.0.1:PORT',
    '127.1:PORT',
    '127.0.0.1',
    'localhost',
    '127.0.0.1:1',
    'LOCALHOST:PORT',
    'localhost.:PORT',
    'user@127.0.0.1:PORT',
    '127.0.0.1:PORT,evil.test',
    '',
  ];
  for (const name of foreign) {
    test(`${name || 'an empty Host'} is refused before any route, token or not`, async () => {
      const given = `Host: ${name.replace('PORT', String(port))}`;
      for (const line of [
        'GET /v1/status',
        'GET /healthz',
        'OPTIONS /v1/tasks',
        'GET /nowhere',
        'GET /v1/events?after=0',
      ])
        assert.equal(await statusFor(`${line} HTTP/1.1`, [given, AUTHORIZED]), 403, line);
    });
  }

  test('its own three names are taken', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]'])
      assert.equal(await statusFor('GET /healthz HTTP/1.1', [`Host: ${name}:${port}`]), 200, name);
  });

  test('no Host, two Hosts and a whole address as path are refused', async () => {
    assert.equal(await statusFor('GET /v1/status HTTP/1.1', [AUTHORIZED]), 400);
    assert.equal(await statusFor('GET /v1/status HTTP/1.0', [AUTHORIZED]), 403);
    assert.equal(await statusFor('GET /v1/status HTTP/1.1', [host(), 'Host: evil.test', AUTHORIZED]), 400);
    assert.equal(await statusFor('GET /v1/status HTTP/1.1', [host(), host(), AUTHORIZED]), 400);
    assert.equal(await statusFor('GET http://evil.test/v1/status HTTP/1.1', [host(), AUTHORIZED]), 400);
    assert.equal(await statusFor('OPTIONS * HTTP/1.1', [host(), AUTHORIZED]), 400);
  });
});

describe('Origin and site', () => {
  const origins = () => [
    'https://evil.test',
    'null',
    'http://localhost.evil.test',
    `http://127.0.0.1:${port + 1}`,
    'http://127.0.0.1',
    `https://127.0.0.1:${port}`,
    `HTTP://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}, https://evil.test`,
  ];

  test('any origin but the node itself is refused, reading or writing', async () => {
    for (const origin of origins()) {
      for (const line of ['GET /v1/events?after=0', 'POST /v1/tasks', 'OPTIONS /v1/tasks', 'GET /healthz']) {
        const answer = await rawExchange(
          port,
          requestText(`${line} HTTP/1.1`, [host(), AUTHORIZED, `Origin: ${origin}`]),
        );
        assert.equal(statusOf(answer), 403, `${line} from ${origin}`);
        assert.doesNotMatch(answer, /access-control|private-network/i);
      }
    }
    await assertNothingMade();
  });

  test('the own origin may, but no preflight is ever answered with more than no', async () => {
    const own = [host(), AUTHORIZED, `Origin: http://127.0.0.1:${port}`, 'Sec-Fetch-Site: same-origin'];
    assert.equal(await statusFor('GET /v1/status HTTP/1.1', own), 200);
    const asked = [...own, 'Access-Control-Request-Method: POST', 'Access-Control-Request-Private-Network: true'];
    const answer = await rawExchange(port, requestText('OPTIONS /v1/tasks HTTP/1.1', asked));
    assert.equal(statusOf(answer), 405);
    assert.doesNotMatch(answer, /access-control|private-network/i);
  });

  test('a request that a browser marks as of another site is refused', async () => {
    for (const site of ['cross-site', 'same-site', 'same-origin, cross-site'])
      assert.equal(await statusFor('GET /v1/status HTTP/1.1', [host(), AUTHORIZED, `Sec-Fetch-Site: ${site}`]), 403);
    const post = ['Sec-Fetch-Site: same-origin', 'Content-Length: 0'];
    assert.equal(await statusFor('POST /v1/tasks HTTP/1.1', [host(), AUTHORIZED, ...post]), 403, 'without an origin');
  });

  test('forms, beacons and images of any page have no effect', async () => {
    const form = 'title=planted';
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const headers = [host(), `Content-Type: ${type}`, `Content-Length: ${form.length}`];
      assert.equal(await statusFor('POST /v1/tasks HTTP/1.1', headers, form), 401);
      assert.equal(await statusFor('POST /v1/messages HTTP/1.1', headers, form), 401);
      assert.equal(await statusFor('POST /v1/tasks HTTP/1.1', [...headers, AUTHORIZED], form), 415);
      assert.equal(await statusFor('POST /v1/messages HTTP/1.1', [...headers, AUTHORIZED], form), 415);
    }
    assert.equal(await statusFor('GET /v1/tasks?title=planted HTTP/1.1', [host(), AUTHORIZED]), 422);
    await assertNothingMade();
  });
});

describe('Tokens', () => {
  const routes = [
    'GET /v1/tasks',
    'POST /v1/tasks',
    'GET /v1/tasks/1',
    'PATCH /v1/tasks/1',
    'POST /v1/tasks/1/claim',
    'POST /v1/messages',
    'GET /v1/events',
    'GET /v1/status',
    'GET /v1/runs',
    'GET /v1/sessions',
    'GET /v1/agents',
    'GET /v1/openapi.json',
    'POST /v1/batch',
    'POST /v1/backup',
    'POST /v1/rebuild',
    'GET /v1/tree/settled',
    'GET /nowhere',
    'GET /healthz/../v1/status',
    'GET /healthz%2f..%2fv1/status',
    'GET /HEALTHZ',
    'DELETE /healthz/',
    'POST /healthz',
    'PUT /readyz',
  ];

  test('nothing but health answers without the token, and it tells nothing', async () => {
    for (const line of routes) {
      const answer = await rawExchange(port, requestText(`${line} HTTP/1.1`, [host()]));
      assert.equal(statusOf(answer), 401, line);
      assert.match(answer, /www-authenticate: Bearer/i);
    }
    for (const length of ['Content-Length: 100000', 'Transfer-Encoding: chunked'])
      assert.equal(await statusFor('GET /healthz HTTP/1.1', [host(), length]), 401, 'its body would be read');
    const health = await fetch(`${server.http.url}/healthz`);
    assert.deepEqual([health.status, await health.text()], [200, '{"ok":true}']);
    assert.deepEqual(await (await fetch(`${server.http.url}/readyz`)).json(), { ok: true });
  });

  test('a token that is not the token is none, whatever it resembles', async () => {
    const wrong = [
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.toUpperCase()}`,
      `Bearer  ${TOKEN}`,
      `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}`,
      TOKEN,
      'Bearer ',
      `Bearer ${'x'.repeat(4096)}`,
    ];
    for (const value of wrong)
      assert.equal(await statusFor('GET /v1/status HTTP/1.1', [host(), `Authorization: ${value}`]), 401, value);
    assert.equal(await statusFor('GET /v1/status HTTP/1.1', [host(), AUTHORIZED, 'Authorization: Bearer x']), 400);
    assert.equal(await statusFor(`GET /v1/status?token=${TOKEN} HTTP/1.1`, [host()]), 401, 'a token in the address');
    assert.equal(await statusFor('GET /v1/status HTTP/1.1', [host(), `Cookie: token=${TOKEN}`]), 401, 'a cookie');
  });

  test('no answer holds the token, sets a cookie, is kept or guessed at', async () => {
    for (const path of ['/healthz', '/v1/status', '/v1/nowhere', '/v1/tasks/none']) {
      const answer = await rawExchange(port, requestText(`GET ${path} HTTP/1.1`, [host(), AUTHORIZED]));
      assert.ok(!answer.includes(TOKEN));
      assert.match(answer, /x-content-type-options: nosniff/i);
      assert.match(answer, /cache-control: no-store/i);
      assert.doesNotMatch(answer, /set-cookie|access-control|x-powered-by|^server:/im);
    }
  });
});

describe('Addresses', () => {
  test('by default only loopback is bound', () => {
    const hex = port.toString(16).toUpperCase().padStart(4, '0');
    const bound = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter((columns) => columns[1]?.endsWith(`:${hex}`) && columns[3] === '0A')
        .map((columns) => columns[1]),
    );
    assert.deepEqual(bound, [`0100007F:${hex}`]);
  });

  test('an address that others can reach is refused without TLS, and a weak token everywhere', async () => {
    const parts = {
      clientFor: () => server.local,
      ledger: server.at.ledger,
      timer: { breathe: async () => {}, pause: async () => {}, after: () => () => {} },
      clock: systemClock(),
      isReady: () => true,
      onFault: () => {},
      external: noExternal,
      port: 0,
    };
    for (const address of ['0.0.0.0', '::', '192.0.2.1', 'node.example', '127.0.0.1.nip.io', ''])
      assert.ok(isRefusal(await startHttpServer({ ...parts, token: TOKEN, host: address })), address);
    for (const token of ['', 'short', `${TOKEN}\n`])
      assert.ok(isRefusal(await startHttpServer({ ...parts, token, host: '127.0.0.1' })));
  });
});
