import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { saopCodec } from './codec.ts';
import { encodeTransition } from './encode-transition.ts';

const ID = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';
const HASH = 'a'.repeat(40);

/** A move of the log; `gitHash` where files were recorded. */
function moved(payload: Record<string, unknown>): LedgerEvent {
  const at = Date.parse('2026-02-09T20:55:00.000Z');
  const place = { id: ID, seq: 7, taskId: 'TASK-2026-02-09-057', sessionId: 'ses_1', runId: null };
  return { ...place, type: 'task.transitioned', at, actor: 'system', payload } as LedgerEvent;
}

test('the event of a move has the fields of the document, and a hash where files were recorded', () => {
  const payload = {
    ...{ type: 'TASK_TRANSITION', task_id: 'TASK-2026-02-09-057', from_state: 'assigned', to_state: 'in_progress' },
    timestamp: '2026-02-09T20:55:00.000Z',
  };
  const states = { from: 'assigned', to: 'in_progress' };
  for (const [given, hash] of [
    [states, {}],
    [{ ...states, gitHash: HASH }, { git_hash: HASH }],
  ] as const) {
    const event = encodeTransition(moved(given));
    assert.deepEqual(event, { event_id: ID, session_id: 'ses_1', payload: { ...payload, ...hash } });
    assert.equal(saopCodec.decode(JSON.stringify(event)).verdict, 'accepted');
  }
});
