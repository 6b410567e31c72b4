import assert from 'node:assert/strict';
import { isRefusal, type Refusal } from '../../src/domain/refusal.ts';

/** The answer to a call that was not refused. */
export function taken<Value>(answer: Value | Refusal | undefined): Value {
  assert.ok(answer !== undefined && !isRefusal(answer), JSON.stringify(answer));
  return answer;
}
