import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aLedgerEvent } from '../../../test/support/a-ledger-event.ts';
import type { ProgressSignal } from '../../domain/agent-signal.ts';
import type { LedgerEvent } from '../../domain/ledger-event.ts';
import { decodeProgress } from './agent-signals.ts';
import { decodeAop } from './decode.ts';
import { encodeProgressUpdate } from './progress-update.ts';

const PROGRESS: ProgressSignal = {
  kind: 'progress',
  percentage: 40,
  phase: 'p1',
  checkpoint: 'c1',
  text: 'half of it',
  remainingSeconds: 12,
  isForSender: true,
};

function event(progress: ProgressSignal, type: LedgerEvent['type'] = 'run.progressed'): LedgerEvent {
  const payload = { run: 'run_1', session: 'S', senderTask: 'T', ...progress };
  return aLedgerEvent({ type, at: 0, actor: 'emma', payload });
}

test('progress for the sender is a valid PROGRESS_UPDATE that reads as the same progress', () => {
  const bare = { ...PROGRESS, phase: null, checkpoint: null, text: '', remainingSeconds: null };
  for (const progress of [PROGRESS, bare]) {
    const message = encodeProgressUpdate(event(progress));
    assert.ok(message);
    assert.deepEqual([message.session_id, message.task_id, message.agent], ['S', 'T', 'emma']);
    assert.equal(message.timestamp, '1970-01-01T00:00:00.000Z');
    assert.equal(decodeAop(JSON.stringify(message)).verdict, 'accepted');
    assert.deepEqual(decodeProgress(message), progress);
  }
});

test('other events, and progress that is not for the sender or has no figure, are no PROGRESS_UPDATE', () => {
  const others = [
    event(PROGRESS, 'run.warned'),
    event({ ...PROGRESS, isForSender: false }),
    event({ ...PROGRESS, percentage: null }),
  ];
  assert.deepEqual(others.map(encodeProgressUpdate), [null, null, null]);
});
