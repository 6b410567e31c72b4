import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decision } from '../../domain/review/feedback.ts';
import { writeRequest } from './write-request.ts';

const ARTIFACT = { media_type: 'text/plain', content: 'a' };
const DECIDED: Decision = { id: 'finding-one', status: 'rejected', reasonCode: 'late', explanation: null };

const written = (iteration: number, decisions: readonly Decision[] | null) =>
  JSON.parse(writeRequest({ iteration, artifact: ARTIFACT, decisions, ask: null }));

test('from the second round on a request says what became of the findings, also if nothing did', () => {
  assert.deepEqual(written(1, null), { protocol_version: '1.2', iteration: 1, artifact: ARTIFACT });
  const items = [{ id: 'finding-one', status: 'rejected', reason_code: 'late' }];
  assert.deepEqual(written(2, [DECIDED]).applied_feedback, { items });
  assert.deepEqual(written(3, []).applied_feedback, { items: [] });
});
