import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAILURE_CODES, failureOfCode, recordCode } from './failure-code.ts';

/** Programs match on these words: none of them may ever change. */
const SPELLED: readonly (readonly [failure: string, code: string])[] = [
  ['timeout', 'E_TIMEOUT'],
  ['heartbeat-missed', 'E_HEARTBEAT_FAILURE'],
  ['unreadable-message', 'E_PARSE_FAILURE'],
  ['invalid-message', 'E_SCHEMA_VALIDATION'],
  ['agent-not-found', 'E_AGENT_NOT_FOUND'],
  ['model-unavailable', 'E_MODEL_UNAVAILABLE'],
  ['all-models-failed', 'E_ALL_MODELS_EXHAUSTED'],
  ['file-not-found', 'E_FILE_NOT_FOUND'],
  ['permission-denied', 'E_PERMISSION_DENIED'],
  ['message-too-large', 'E_CONTEXT_OVERFLOW'],
  ['near-size-limit', 'E_PAYLOAD_SIZE_WARNING'],
  ['malformed-answer', 'E_MALFORMED_RESPONSE'],
  ['dependency-failed', 'E_DEPENDENCY_FAILED'],
  ['delegation-too-deep', 'E_MAX_DEPTH_EXCEEDED'],
  ['process-crashed', 'E_PROCESS_CRASH'],
  ['budget-exceeded', 'E_COST_LIMIT_EXCEEDED'],
  ['rollback-failed', 'E_ROLLBACK_FAILED'],
  ['unknown', 'E_UNKNOWN'],
];

for (const [failure, code] of SPELLED) {
  test(`records spell ${failure} as ${code}, and it is read back`, () => {
    assert.equal(recordCode(failure), code);
    assert.equal(failureOfCode(code), failure);
  });
}

test('the table has these codes and no others', () => {
  assert.deepEqual(Object.entries(FAILURE_CODES), SPELLED);
});

test('any other code is spelled alike, and is no failure of the table', () => {
  for (const code of ['no_route', 'INVALID_REQUEST', 'toString', '__proto__', '']) {
    assert.equal(recordCode(code), code);
    assert.equal(failureOfCode(code), null);
  }
});
