import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../platform/logger.ts';
import { type SignalParts, SignalRecorder } from './record-signals.ts';

/** A recorder whose messages are answered by `answer`; counts what reaches the receiver and the log file. */
function recording(answer: string | null) {
  const counts = { received: 0, lines: 0 };
  const parts = {
    log: silentLogger,
    holder: {},
    receive: async () => {
      counts.received++;
      return answer;
    },
    output: { line: () => void counts.lines++, remark: () => {}, hear: () => {}, flush: () => {} },
  };
  return { counts, recorder: new SignalRecorder(parts as unknown as SignalParts) };
}

test('messages that are refused become events up to a bound, and output after it; accepted ones have none', async () => {
  const many = Array.from({ length: 3_000 }, () => ({ kind: 'message' as const, text: 'AOF/1 none' }));
  const refused = recording('it is no message');
  for (const signal of many) await refused.recorder.record(signal);
  assert.equal(refused.counts.received, 1_000);
  assert.ok(refused.counts.lines >= 2_000, String(refused.counts.lines));
  const accepted = recording(null);
  for (const signal of many) await accepted.recorder.record(signal);
  assert.equal(accepted.counts.received, 3_000);
});
