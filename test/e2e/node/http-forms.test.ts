import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { HTTP_BODIES_BYTES_MAX, HTTP_LARGE_BODY_BYTES_MIN, SSE_READERS_MAX } from '../../../src/domain/http-limits.ts';
import { HTTP_BODY_BYTES_MAX } from '../../../src/domain/limits.ts';
import { AUTHORIZED, openAttacked } from '../../support/node/attacked-server.ts';
import { RawStream, rawExchange, requestText, statusOf } from '../../support/node/raw-http.ts';
import { TestServer } from '../../support/node/test-server.ts';

const { server, port, host, statusFor, assertNothingMade } = await openAttacked();

describe('Forms of HTTP', () => {
  test('TRACE, CONNECT, upgrades and unknown methods are refused', async () => {
    assert.equal(await statusFor('TRACE /v1/status HTTP/1.1', [host(), AUTHORIZED]), 405);
    assert.equal(await statusFor(`CONNECT evil.test:443 HTTP/1.1`, [host(), AUTHORIZED]), 405);
    assert.equal(await statusFor('PROPFIND /v1/tasks HTTP/1.1', [host(), AUTHORIZED]), 405);
    assert.equal(await statusFor('BREW /v1/tasks HTTP/1.1', [host(), AUTHORIZED]), 400);
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'];
    const head = ['GET /v1/events HTTP/1.1', host(), AUTHORIZED, ...upgrade];
    assert.equal(statusOf(await rawExchange(port, `${head.join('\r\n')}\r\n\r\n`)), 400);
    const foreign = ['GET /v1/events HTTP/1.1', 'Host: evil.test', AUTHORIZED, ...upgrade];
    assert.equal(statusOf(await rawExchange(port, `${foreign.join('\r\n')}\r\n\r\n`)), 403);
  });

  test('no header makes another method of a request', async () => {
    const headers = [
      host(),
      AUTHORIZED,
      'X-HTTP-Method-Override: POST',
      'X-HTTP-Method: POST',
      'X-Method-Override: POST',
    ];
    assert.equal(await statusFor('GET /v1/tasks HTTP/1.1', headers), 200);
    assert.equal(await statusFor('DELETE /v1/tasks/1 HTTP/1.1', headers), 405);
    assert.equal(await statusFor('GET /v1/tasks?_method=POST HTTP/1.1', headers), 422);
  });

  test('two lengths, a length beside chunks and bare line feeds cannot smuggle a request', async () => {
    const smuggled = `POST /v1/tasks HTTP/1.1\r\n${host()}\r\n${AUTHORIZED}\r\nContent-Length: 0\r\n\r\n`;
    const line = 'POST /v1/tasks HTTP/1.1';
    const chunked = 'Transfer-Encoding: chunked';
    assert.equal(
      await statusFor(line, [host(), AUTHORIZED, 'Content-Length: 4', chunked], `0\r\n\r\n${smuggled}`),
      400,
    );
    assert.equal(await statusFor(line, [host(), AUTHORIZED, 'Content-Length: 0', 'Content-Length: 5'], 'abcde'), 400);
    assert.equal(await statusFor(line, [host(), AUTHORIZED, 'Transfer-Encoding: xchunked'], smuggled), 400);
    assert.equal(statusOf(await rawExchange(port, `GET /v1/status HTTP/1.1\n${host()}\n\nGARBAGE\n\n`)), 400);
    await assertNothingMade();
  });

  test('garbage, also after a good request, ends the connection with 400', async () => {
    assert.equal(statusOf(await rawExchange(port, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')), 400);
    const good = `GET /healthz HTTP/1.1\r\n${host()}\r\n\r\n`;
    const answer = await rawExchange(port, `${good}${good}\x00\x00garbage\r\n\r\n`);
    assert.equal([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].at(-1)?.[1], '400');
  });

  test('headers without end are cut at 16 KiB, and those that do not come in time', async () => {
    const many = Array.from({ length: 400 }, (_, at) => `X-${at}: ${'y'.repeat(100)}`);
    assert.equal(await statusFor('GET /v1/status HTTP/1.1', [host(), AUTHORIZED, ...many]), 431);
    const slow = new RawStream(port, `GET /v1/status HTTP/1.1\r\n${host()}\r\nX-Slow: `);
    assert.equal(statusOf(await slow.closed()), 408);
    const silent = new RawStream(port, '');
    await silent.closed();
    const head = requestText('POST /v1/tasks HTTP/1.1', [host(), AUTHORIZED, 'Content-Length: 1000'], '{"title":');
    const slowBody = new RawStream(port, head);
    await slowBody.closed();
    await assertNothingMade();
  });

  test('who is not admitted is not asked to go on with the body', async () => {
    const headers = ['Expect: 100-continue', 'Content-Type: application/json', 'Content-Length: 13'];
    const line = 'POST /v1/tasks HTTP/1.1';
    const refused = await rawExchange(port, requestText(line, [host(), ...headers]));
    assert.deepEqual([statusOf(refused), refused.includes('100 Continue')], [401, false]);
    assert.match(
      await rawExchange(port, requestText(line, [host(), AUTHORIZED, ...headers], '{"titel":"x"}')),
      / 422 /,
    );
    assert.equal(await statusFor('GET /v1/status HTTP/1.1', [host(), AUTHORIZED, 'Expect: magic']), 400);
    assert.equal(await statusFor('GET /v1/status HTTP/1.1', ['Host: evil.test', AUTHORIZED, 'Expect: magic']), 403);
  });

  test('a hundred idle connections do not keep the node from answering', async () => {
    const idle = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
    for (const socket of idle) socket.on('error', () => socket.destroy());
    assert.equal((await server.get('/v1/status')).status, 200);
    for (const socket of idle) socket.destroy();
  });

  test('bodies over 16 MiB, whole or in chunks, are refused before they are read to the end', async () => {
    const length = 16 * 1024 * 1024 + 1;
    const json = 'Content-Type: application/json';
    assert.equal(
      await statusFor('POST /v1/messages HTTP/1.1', [host(), AUTHORIZED, json, `Content-Length: ${length}`]),
      413,
    );
    const line = requestText('POST /v1/messages HTTP/1.1', [host(), AUTHORIZED, json, 'Transfer-Encoding: chunked']);
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x10_0000, 'a'), Buffer.from('\r\n')]);
    const bomb = new RawStream(port, line);
    for (let sent = 0; sent < 40 && !bomb.isClosed; sent++) bomb.socket.write(chunk);
    const answer = await bomb.closed();
    assert.ok(answer === '' || statusOf(answer) === 413, answer.slice(0, 100));
    assert.equal((await server.get('/v1/status')).status, 200);
  });

  test('large bodies that come at once share a room: one too many is asked to come later, small ones are not', async () => {
    const head = (length: number) =>
      `POST /v1/messages HTTP/1.1\r\n${host()}\r\n${AUTHORIZED}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    const own = Array.from({ length: HTTP_BODIES_BYTES_MAX / HTTP_BODY_BYTES_MAX }, () => {
      return new RawStream(port, head(HTTP_BODY_BYTES_MAX));
    });
    // Answered, so all that was sent before it has been taken.
    assert.equal((await server.get('/v1/status')).status, 200);
    const late = await rawExchange(port, head(HTTP_BODY_BYTES_MAX));
    assert.equal(statusOf(late), 429);
    assert.match(late, /"code":"door_busy".*"retryable":true/);
    assert.equal((await server.post('/v1/messages', '{}')).status, 415);
    await Promise.all(own.map((stream) => stream.closed()));
    assert.equal((await server.post('/v1/messages', `"${'x'.repeat(HTTP_LARGE_BODY_BYTES_MIN)}"`)).status, 415);
  });

  test('readers of events past their number are asked to come later, and those before go on', async () => {
    const own = await TestServer.open({ isTreeless: true });
    const follow = requestText('GET /v1/events HTTP/1.1', [`Host: 127.0.0.1:${own.http.port}`, AUTHORIZED]);
    const readers = Array.from({ length: SSE_READERS_MAX }, () => new RawStream(own.http.port, follow));
    await Promise.all(readers.map((reader) => reader.until((text) => text.includes(': after'))));
    assert.equal(statusOf(await rawExchange(own.http.port, follow)), 429);
    await own.local.createTask({ title: 'Seen by all' });
    await Promise.all(readers.map((reader) => reader.until((text) => text.includes('task.created'))));
    for (const reader of readers) reader.socket.destroy();
  });

  test('packed bodies are not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    for (const path of ['/v1/messages', '/v1/tasks'])
      assert.equal((await server.fetch(path, { method: 'POST', headers, body: bomb })).status, 415);
  });
});

describe('Names and values (C6, G1)', () => {
  test('names that mean files reach none', async () => {
    const names = [
      '..%2f..%2fetc%2fpasswd',
      '%2e%2e',
      '..',
      '%00',
      'con',
      'TASK-..%2f',
      '%5c%5cx',
      'a'.repeat(4096),
      '%ff',
    ];
    for (const name of names) {
      const status = await statusFor(`GET /v1/tasks/${name} HTTP/1.1`, [host(), AUTHORIZED]);
      assert.ok(status === 404 || status === 400, `${name}: ${status}`);
    }
    for (const run of ['../x', 'a b', 'x'.repeat(4096), 'run;DROP'])
      assert.equal(await statusFor('POST /v1/tasks/1/retry HTTP/1.1', [host(), AUTHORIZED, `Baton-Run: ${run}`]), 422);
    for (const key of ['a b', 'x'.repeat(256), ''])
      assert.equal(
        await statusFor('POST /v1/tasks/1/retry HTTP/1.1', [host(), AUTHORIZED, `Idempotency-Key: ${key}`]),
        422,
      );
  });

  test('JSON that is too deep, repeats a key, sets a prototype or holds no number is refused, and harms nothing', async () => {
    const bodies = [
      `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
      '{"title":"a","title":"b"}',
      '{"title":"a","__proto__":{"isAdmin":true}}',
      '{"title":"a","constructor":{"prototype":{"isAdmin":true}}}',
      '{"title":1e400}',
      '\ufeff{"title":"a"}',
      '{"title":"a"} {"title":"b"}',
      '{"title":"a"',
      '"title"',
      'null',
      '[]',
    ];
    for (const body of bodies) {
      const answer = await server.post('/v1/tasks', body);
      assert.equal(answer.status, 422, body.slice(0, 40));
    }
    const notUtf8 = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0xff]),
    };
    assert.equal((await server.fetch('/v1/tasks', notUtf8)).status, 422);
    assert.equal(({} as Record<string, unknown>).isAdmin, undefined);
    await assertNothingMade();
    assert.deepEqual(server.faults, []);
  });
});
