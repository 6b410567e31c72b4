import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { ModelReach } from './model-reach.ts';

function aReach() {
  const clock = new TestClock();
  const reach = new ModelReach(clock, ['127.0.0.1:4000', 'api.example.com']);
  const tried = (afterMs: number, host: string, problem: string | null) => {
    clock.step(afterMs);
    return reach.tried(host, problem).map((signal) => (signal.kind === 'failure' ? signal.code : signal.kind));
  };
  return tried;
}

test('a model that is not reached for a minute fails the run; the first failure is shown', () => {
  const tried = aReach();
  assert.deepEqual(tried(0, '127.0.0.1:4000', 'it refuses connections'), ['output']);
  assert.deepEqual(tried(59_000, 'api.example.com:443', 'it has no address'), []);
  assert.deepEqual(tried(1_000, '127.0.0.1:4000', 'it refuses connections'), ['model-unavailable']);
});

test('the problem of the last try is known until the host is reached', () => {
  const reach = new ModelReach(new TestClock(), ['127.0.0.1:4000']);
  reach.tried('files.example.com:443', 'it has no address');
  assert.equal(reach.problem, null);
  reach.tried('127.0.0.1:4000', 'it refuses connections');
  assert.equal(reach.problem, '127.0.0.1:4000 cannot be reached: it refuses connections');
  reach.tried('127.0.0.1:4000', null);
  assert.equal(reach.problem, null);
});

test('one connection begins the minute anew, and other hosts do not count', () => {
  const tried = aReach();
  tried(0, '127.0.0.1:4000', 'it refuses connections');
  assert.deepEqual(tried(50_000, '127.0.0.1:4000', null), []);
  assert.deepEqual(tried(50_000, '127.0.0.1:4000', 'it refuses connections'), ['output']);
  assert.deepEqual(tried(90_000, 'files.example.com:443', 'it has no address'), []);
});
