import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saopCodec } from './codec.ts';
import { encodeMadeTrace } from './trace-message.ts';

const ID = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';

test('the event of a line of output has the fields of the document', () => {
  const line = { text: 'tests: 3 passed', isMasked: false, at: Date.parse('2026-02-09T20:55:00.000Z') };
  const { envelope } = encodeMadeTrace({ kind: 'output', eventId: ID, sessionId: 'ses_1', at: line.at, line });
  const payload = { type: 'SANDBOX_PULSE', line: line.text, masked: false, timestamp: '2026-02-09T20:55:00.000Z' };
  assert.deepEqual(JSON.parse(envelope), { event_id: ID, session_id: 'ses_1', payload });
  assert.equal(saopCodec.decode(envelope).verdict, 'accepted');
});
