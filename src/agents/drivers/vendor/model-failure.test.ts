import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../../test/support/cpu-time.ts';
import { errorWords, modelEnd, modelFailure } from './model-failure.ts';

test('the sentence of an error is taken out of the JSON of an API', () => {
  const inner = '{"error":{"message":"too long","code":400}}';
  const cases = [
    ['no JSON', 'no JSON'],
    [inner, 'too long'],
    [`[API Error: ${inner}]`, '[API Error: too long]'],
    [`{"type":"error","error":{"type":"x","message":"Overloaded"}}`, 'Overloaded'],
    [JSON.stringify({ error: { message: inner } }), 'too long'],
    ['a {brace} alone', 'a {brace} alone'],
    ['{"error":"words"}', '{"error":"words"}'],
    ['} {', '} {'],
    [
      'status 502: <html><head><title> 502 Bad\nGateway </title></head></html>, url: x',
      'status 502: 502 Bad\nGateway, url: x',
    ],
    ['<!doctype html><h1>Log in to the hotel', 'a web page'],
  ] as const;
  for (const [text, words] of cases) assert.equal(errorWords(text), words);
});

test('the code of a failure is that of its status, or of the words for a model that is not there', () => {
  const codes = [
    [401, 'x', 'permission-denied'],
    [403, 'x', 'permission-denied'],
    [404, 'x', 'model-unavailable'],
    [400, 'The model `nope` does not exist', 'model-unavailable'],
    [400, 'prompt is too long', 'process-crashed'],
    [429, 'x', 'model-unavailable'],
    [529, 'x', 'model-unavailable'],
    [null, 'x', 'process-crashed'],
    // Claude Code 2.1.325, Codex 0.166.
    [null, 'API Error: Connection to the API was lost (ECONNRESET). This is usually temporary', 'model-unavailable'],
    [null, 'API Error: Unable to connect to API: Self-signed certificate detected', 'model-unavailable'],
    [null, 'API Error: API returned an empty or malformed response (HTTP 200)', 'model-unavailable'],
    [null, 'stream disconnected before completion: error sending request', 'model-unavailable'],
    [null, 'Selected model is at capacity. Please try a different model.', 'model-unavailable'],
    [null, 'workspace routing discovery failed', 'model-unavailable'],
    [null, 'Failed to refresh token: 500 Internal Server Error', 'model-unavailable'],
    [
      null,
      'Your access token could not be refreshed because your refresh token has expired. Please log out and sign in again.',
      'permission-denied',
    ],
    [400, 'the connection refused to be drawn', 'process-crashed'],
  ] as const;
  for (const [status, message, code] of codes) assert.equal(modelFailure({ status, message }, 'log in').code, code);
});

test('an account without credit is out of quota: time does not lift it, and no login helps', () => {
  for (const [status, message] of [
    [402, 'API Error: 402 Add more'],
    [400, 'Credit balance is too low'],
    [null, 'Insufficient credits. Add more at https://example.com'],
  ] as const) {
    const [quota, failure] = modelEnd({ status, message }, 'log in');
    assert.ok(quota?.kind === 'quota' && failure?.kind === 'failure');
    assert.deepEqual([quota.scope, quota.resets, failure.code], ['credit', null, 'model-unavailable']);
    assert.equal(quota.message, `its account has no credit left: ${message}`);
  }
  assert.deepEqual(
    modelEnd({ status: 400, message: 'insufficient memory' }, 'log in').map(({ kind }) => kind),
    ['failure'],
  );
});

test("a failure names the hosts of the vendor's text, and says where a proxy refused it", () => {
  const of = (message: string) => {
    const { hosts = [], isRefusedByProxy = false } = modelFailure({ status: 403, message }, 'log in');
    return [hosts, isRefusedByProxy];
  };
  assert.deepEqual(of('Forbidden: api.example.com:443 is not granted'), [['api.example.com:443'], false]);
  assert.deepEqual(of('POST https://api.example.com/v1 to 10.0.0.1: fetch failed.'), [
    ['api.example.com', '10.0.0.1'],
    false,
  ]);
  assert.deepEqual(of('connect to localhost:4000 or [::1]:4000'), [['localhost:4000', '[::1]:4000'], false]);
  assert.deepEqual(of('Proxy connection failed: HTTP CONNECT failed with status 403'), [[], true]);
  assert.deepEqual(of('invalid key'), [[], false]);
});

test('a long text of a vendor is searched for hosts in little time', () => {
  assert.ok(cpuMsOf(() => modelFailure({ status: 500, message: 'a-'.repeat(5_000_000) }, 'log in')) < 1_000);
});
