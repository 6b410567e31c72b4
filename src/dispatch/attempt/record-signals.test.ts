import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PrintedLine } from '../../domain/trace/trace.ts';
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

test('a message that is refused after its run has ended is in the trace as a line of output', async () => {
  const answered = Promise.withResolvers<string>();
  const kept: string[] = [];
  let hear: (line: string, at: number) => void = () => {};
  const parts = {
    log: silentLogger,
    holder: {},
    receive: () => answered.promise,
    ledger: {
      submit: async (_: unknown, { lines }: { lines: PrintedLine[] }) => kept.push(...lines.map(({ text }) => text)),
    },
    output: {
      line: (text: string) => void hear(text, 0),
      remark: () => {},
      hear: (listener: typeof hear) => (hear = listener),
      flush: () => {},
    },
  };
  const recorder = new SignalRecorder(parts as unknown as SignalParts);
  const recorded = recorder.record({ kind: 'message', text: 'AOF/1 none' });
  const settled = recorder.settled();
  answered.resolve('it is no message');
  await Promise.all([recorded, settled]);
  assert.deepEqual(kept, ['AOF/1 none']);
});
