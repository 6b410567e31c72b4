import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostHeadersOf, refuseAddress, urlHost } from './listen-address.ts';

const token = 'a-token-of-a-good-length-0123456789';
const tls = { key: 'key', cert: 'cert' };

test('loopback needs no TLS, every other address does', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost'])
    assert.equal(refuseAddress({ host, port: 0, token }), null);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.org', 'localhost.evil.test', '128.0.0.1', '']) {
    assert.equal(refuseAddress({ host, port: 0, token })?.path, '/host', host);
    assert.equal(refuseAddress({ host, port: 0, token, tls }), null);
    assert.equal(refuseAddress({ host, port: 0, token, tls: { key: '', cert: '' } })?.path, '/host');
  }
});

test('a token that can be guessed or sent wrongly is refused, with TLS too', () => {
  for (const weak of ['', 'x', 'x'.repeat(31), `${token} `, `${token}\n`])
    assert.equal(refuseAddress({ host: '127.0.0.1', port: 0, token: weak, tls })?.path, '/token');
});

test('the Host headers of a node are its addresses with the port, never all addresses', () => {
  assert.deepEqual(
    [...hostHeadersOf({ host: '127.0.0.1', port: 0, token }, 4100)],
    ['127.0.0.1:4100', 'localhost:4100', '[::1]:4100'],
  );
  const hosts = hostHeadersOf({ host: '0.0.0.0', port: 0, token, tls, names: ['node.example'] }, 443);
  assert.deepEqual([...hosts], ['127.0.0.1', 'localhost', '[::1]', 'node.example']);
  assert.ok(hostHeadersOf({ host: 'fe80::1', port: 0, token, tls }, 4100).has('[fe80::1]:4100'));
});

test('the address told to programs is one of the Host headers that are taken', () => {
  for (const host of ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::', '10.0.0.1', 'fe80::1'])
    assert.ok(hostHeadersOf({ host, port: 0, token, tls }, 4100).has(`${urlHost(host)}:4100`), host);
});
