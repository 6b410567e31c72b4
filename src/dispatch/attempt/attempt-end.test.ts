import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureSignal } from '../../domain/agent/agent-signal.ts';
import { judgeEnd } from './attempt-end.ts';
import type { WatchEnd } from './watch-process.ts';

function judged(
  reported: Pick<FailureSignal, 'message'> & Partial<FailureSignal>,
  refusedHosts: readonly string[],
  unreached: string | null = null,
) {
  const failure = { kind: 'failure', code: 'permission-denied', ...reported };
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

const REFUSED = { message: 'its vendor refuses it: no; run login' };

test('a request that the sandbox refused is not blamed on the vendor, and the settings that allow it are named', () => {
  const allowed =
    'api.example.com, which is not allowed; the order (net: api.example.com) or network.restricted can allow it';
  for (const seen of [{ hosts: ['API.example.com'] }, { hosts: ['api.example.com:443'] }, { isRefusedByProxy: true }]) {
    const { message, warnings } = judged({ ...REFUSED, ...seen }, ['api.example.com:443']);
    assert.equal(message, `its sandbox does not let it reach ${allowed}`);
    assert.deepEqual(warnings, [`it tried to reach ${allowed}`]);
  }
});

test('a refused host beside a failure of the vendor is a warning only, whatever its sentence says', () => {
  const said = { message: 'its vendor refuses it: telemetry.example:8443; run login', hosts: ['telemetry.example'] };
  const { message, warnings } = judged(said, ['telemetry.example:8443']);
  assert.equal(message, said.message);
  assert.match(warnings[0] ?? '', /telemetry\.example:8443, which is not allowed/);
  assert.deepEqual(judged(said, []).warnings, []);
});

test('a model that did not answer because its host cannot be reached: the host is named, and why', () => {
  const unreached = '127.0.0.1:4000 cannot be reached: it refuses connections';
  const unavailable = { code: 'model-unavailable', message: 'error sending request' } as const;
  assert.equal(
    judged({ ...unavailable, waitedSeconds: 60 }, [], unreached).message,
    `its model did not answer for 60 s: ${unreached}`,
  );
  assert.equal(judged(unavailable, [], unreached).message, `its model did not answer: ${unreached}`);
  assert.equal(judged(REFUSED, [], unreached).message, REFUSED.message);
});
