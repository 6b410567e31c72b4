import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  PRINTED_LINE_CHARACTERS_MAX,
  PRINTED_LINES_PER_RECORD_MAX,
  PRINTED_LINES_PER_RUN_MAX,
} from '../../domain/trace/trace-limits.ts';
import { OutputBuffer } from './output-buffer.ts';

test('lines come back in order with their time, and an empty line is none', () => {
  const buffer = new OutputBuffer('TASK-2026-02-09-057');
  for (const [at, line] of ['a', '', 'key [REDACTED:jwt]'].entries()) buffer.add(line, at);
  assert.deepEqual(buffer.take(), [
    { text: 'a', isMasked: false, at: 0 },
    { text: 'key [REDACTED:jwt]', isMasked: true, at: 2 },
  ]);
  assert.deepEqual(buffer.take(), []);
});

test('a record is full at its lines, and at its characters', () => {
  const buffer = new OutputBuffer('TASK-2026-02-09-057');
  for (let line = 1; line < PRINTED_LINES_PER_RECORD_MAX; line++) buffer.add('x', 0);
  assert.equal(buffer.isFull, false);
  buffer.add('x', 0);
  assert.equal(buffer.isFull, true);
  buffer.take();
  for (let line = 0; line < 5; line++) buffer.add('x'.repeat(PRINTED_LINE_CHARACTERS_MAX + 1), 0);
  assert.equal(buffer.isFull, true);
  assert.match(buffer.take()[0]?.text ?? '', /x… \[cut: 16001 characters\]$/);
});

test('a run adds no more lines than its bound, and the last one says where more are', () => {
  const buffer = new OutputBuffer('TASK-2026-02-09-057');
  let kept = 0;
  let last = '';
  for (let line = 0; line < PRINTED_LINES_PER_RUN_MAX + 50; line++) {
    buffer.add(`line ${line}`, 0);
    for (const { text } of buffer.take()) {
      kept++;
      last = text;
    }
  }
  assert.deepEqual(
    [kept, last],
    [PRINTED_LINES_PER_RUN_MAX + 1, '[more output is in the log: baton logs TASK-2026-02-09-057]'],
  );
});
