import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalUrl } from './normal-url.ts';

const NORMAL = 'https://node.example/v1/external/invoke';

test('spellings of one address have one form', () => {
  for (const text of [
    NORMAL,
    'HTTPS://NODE.example:443/v1/external/invoke',
    `${NORMAL}?a=b`,
    `${NORMAL}#part`,
    'https://node.example/v1/../v1/./external/invoke',
    'https://node.example/v1/external/%69nv%6Fke',
    'https://node.example/v1/external/%69nv%6fke?%',
  ])
    assert.equal(normalUrl(text), NORMAL, text);
  assert.equal(normalUrl('http://127.0.0.1:80/a%2fb'), normalUrl('http://127.0.0.1/a%2Fb'));
});

test('other addresses stay others', () => {
  for (const text of [
    'http://node.example/v1/external/invoke',
    'https://node.example:8443/v1/external/invoke',
    'https://node.example./v1/external/invoke',
    `${NORMAL}/`,
    'https://node.example/V1/external/invoke',
    'https://node.example/v1/external%2Finvoke',
  ])
    assert.notEqual(normalUrl(text), NORMAL, text);
});

test('other texts are none', () => {
  for (const text of ['', '/v1/external/invoke', 'ftp://node.example/', 'https://a:b@node.example/', 'https://'])
    assert.equal(normalUrl(text), null, text);
});
