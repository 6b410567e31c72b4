import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeEnd } from './attempt-end.ts';
import type { WatchEnd } from './watch-process.ts';

function judged(
  message: string,
  refusedHosts: readonly string[],
  {
    code = 'E_PERMISSION_DENIED',
    unreached = null,
  }: { readonly code?: string; readonly unreached?: string | null } = {},
) {
  const failure = { kind: 'failure', code, message };
  const exit = { kind: 'exited', exitCode: 1, signal: null, durationMs: 5 } as const;
  const said = { claim: null, malformed: null, isUnderstood: true, lastOutput: null, summary: null, lastWords: null };
  const seen = { ...said, exit, failure, cause: 'failure', warnings: [], quota: null } as unknown as WatchEnd;
  const request = { limits: { policy: {} }, stop: new AbortController().signal } as Parameters<
    typeof judgeEnd
  >[0]['request'];
  const { end, warnings } = judgeEnd({ seen, request, isVendor: true, wallMs: 0, refusedHosts, unreached });
  assert.ok(end.kind === 'failed');
  return { message: end.message, warnings: warnings.map((warning) => warning.message) };
}

test('a request that the sandbox refused is not blamed on the vendor, and the flag that allows it is named', () => {
  const allowed = 'api.example.com, which is not allowed; --net api.example.com allows it';
  for (const said of [
    'its vendor refuses it: Forbidden: api.example.com:443 is not granted; run login',
    'its vendor refuses it: Proxy connection failed: HTTP CONNECT failed with status 403; run login',
  ]) {
    const { message, warnings } = judged(said, ['api.example.com:443']);
    assert.equal(message, `its sandbox does not let it reach ${allowed}`);
    assert.deepEqual(warnings, [`it tried to reach ${allowed}`]);
  }
});

test('a refused host beside a failure of the vendor is a warning only', () => {
  const said = 'its vendor refuses it: invalid key; run login';
  const { message, warnings } = judged(said, ['telemetry.example:8443']);
  assert.equal(message, said);
  assert.match(warnings[0] ?? '', /telemetry\.example:8443, which is not allowed/);
  assert.deepEqual(judged(said, []).warnings, []);
});

test('a model that did not answer because its host cannot be reached: the host is named, and why', () => {
  const unreached = '127.0.0.1:4000 cannot be reached: it refuses connections';
  const told = (message: string, code: string) => judged(message, [], { code, unreached }).message;
  const unavailable = 'E_MODEL_UNAVAILABLE';
  assert.equal(
    told('its model did not answer for 60 s: it could not be reached', unavailable),
    `its model did not answer for 60 s: ${unreached}`,
  );
  assert.equal(
    told('its model did not answer: error sending request', unavailable),
    `its model did not answer: ${unreached}`,
  );
  const refused = 'its vendor refuses it: invalid key; run login';
  assert.equal(told(refused, 'E_PERMISSION_DENIED'), refused);
});
