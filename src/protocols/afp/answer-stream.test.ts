import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countableIds } from '../../../test/support/countable-ids.ts';
import type { JsonObject } from '../../domain/words/json-object.ts';
import { AnswerStream } from './answer-stream.ts';

const RESPONSE = {
  protocol_version: '1.2',
  iteration: 1,
  status: 'error',
  error: { code: 'INTERNAL_ERROR', message: 'it died' },
};

function linesOf(stream: AnswerStream): readonly JsonObject[] {
  const times = { askedAtMs: 1, answeredAtMs: 2 };
  const spent = { costUsd: 0.5, tokensInput: 3, tokensOutput: 4 };
  return [stream.start(1), ...stream.answer({ response: JSON.stringify(RESPONSE), ...times, ...spent })];
}

test('an answer is three lines, each names the session, and each part has an id of its own', () => {
  const ids = countableIds();
  const lines = ['ses_1', 'ses_1'].flatMap((session) => linesOf(new AnswerStream(session, ids)));
  const parts = lines.map(({ part }) => part as JsonObject);
  assert.deepEqual(
    lines.slice(0, 3).map(({ type }) => type),
    ['step_start', 'text', 'step_finish'],
  );
  assert.deepEqual([...new Set([...lines, ...parts].map(({ sessionID }) => sessionID))], ['ses_1']);
  assert.equal(new Set(parts.map(({ id }) => id)).size, 6);
  assert.equal(new Set(parts.map(({ messageID }) => messageID)).size, 2);
  assert.deepEqual(JSON.parse(String(parts[1]?.text)), RESPONSE);
  assert.deepEqual([parts[2]?.cost, parts[2]?.tokens], [0.5, { input: 3, output: 4 }]);
});
