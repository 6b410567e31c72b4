import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordCode } from './failure-code.ts';
import { type FailureCode, failureCodeOf, hintFor, REFUSALS, type RefusalCode, refuse, refuseTask } from './refusal.ts';

const AOP_TAXONOMY =
  'E_TIMEOUT E_HEARTBEAT_FAILURE E_PARSE_FAILURE E_SCHEMA_VALIDATION E_AGENT_NOT_FOUND E_MODEL_UNAVAILABLE E_ALL_MODELS_EXHAUSTED E_FILE_NOT_FOUND E_PERMISSION_DENIED E_CONTEXT_OVERFLOW E_PAYLOAD_SIZE_WARNING E_MALFORMED_RESPONSE E_DEPENDENCY_FAILED E_MAX_DEPTH_EXCEEDED E_PROCESS_CRASH E_COST_LIMIT_EXCEEDED E_ROLLBACK_FAILED E_UNKNOWN';

describe('every code a refusal may carry', () => {
  for (const [code, facts] of Object.entries(REFUSALS)) {
    it(`${code} says whether to try again, and what to do now`, () => {
      assert.equal(typeof facts.retryable, 'boolean');
      assert.match(facts.hint, /^[a-zA-Z][^\n]{5,200}[^.\s]$/);
    });
  }

  const groups: [string, string][] = [
    ['AOP §12', AOP_TAXONOMY],
    ['AFP', 'INVALID_REQUEST UNSUPPORTED_MEDIA_TYPE INTERNAL_ERROR INVALID_RESPONSE INVALID_STREAM'],
    [
      'AOF',
      'invalid_json invalid_envelope unknown_type payload_too_large task_not_found taskId_mismatch nested_delegation unauthorized_agent stale_run invalid_run_result',
    ],
    [
      'SAOP and Runtime',
      'invalid_turn invalid_event invalid_payload invalid_record invalid_targets missing_route_fields no_route capability_unavailable version_incompatible owner_unavailable overloaded invalid_capability',
    ],
    [
      'external agents',
      'invalid_invite expired_invite invalid_access_token expired_access_token invalid_refresh_token scope_denied invite_used replay_detected rate_limited',
    ],
  ];
  for (const [name, codes] of groups) {
    it(`${name}: none is missing`, () => {
      assert.deepEqual(
        codes.split(' ').filter((code) => !Object.hasOwn(REFUSALS, code)),
        [],
      );
    });
  }
});

describe('a refusal', () => {
  it('carries code, sentence, place, hint and whether to try again', () => {
    const { retryable, hint } = REFUSALS.E_TIMEOUT;
    assert.deepEqual(refuse('timeout', 'took too long', '/task'), {
      kind: 'refusal',
      code: 'E_TIMEOUT',
      message: 'took too long',
      path: '/task',
      retryable,
      hint,
    });
    assert.equal(refuse('no_route', 'nobody').path, '');
  });

  it('about a task names it in every command; in `baton schema aop TASK` it is the name of a message', () => {
    const named = (Object.keys(REFUSALS) as RefusalCode[]).map((code) =>
      hintFor(failureCodeOf(code), 'TASK-2026-02-09-057'),
    );
    assert.deepEqual(
      named.filter((hint) => /\bTASK\b(?!-)/.test(hint)),
      [REFUSALS.E_SCHEMA_VALIDATION.hint],
    );
    const { hint, code } = refuseTask('merge_conflict', 'no', 'TASK-2026-02-09-057');
    assert.match(hint, /apply TASK-2026-02-09-057 --branch B$/);
    assert.equal(hintFor(failureCodeOf(code), 'TASK-2026-02-09-057'), hint);
  });

  it('is worth another try only where the cause may pass', () => {
    const isRetryable = (code: FailureCode) => REFUSALS[recordCode(code)].retryable;
    assert.deepEqual((['timeout', 'model-unavailable', 'overloaded', 'rate_limited'] as const).map(isRetryable), [
      true,
      true,
      true,
      true,
    ]);
    assert.deepEqual(
      (['invalid-message', 'message-too-large', 'invalid_json', 'scope_denied'] as const).map(isRetryable),
      [false, false, false, false],
    );
  });
});
