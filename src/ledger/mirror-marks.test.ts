import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROWS_CACHED_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { MirrorMarks } from './mirror-marks.ts';

const name = (number: number) => `TASK-2026-02-09-${String(number)}` as TaskName;

test('a task that was touched after its files were read stays marked', () => {
  const marks = new MirrorMarks();
  marks.commit = 1;
  marks.keep([name(1)]);
  const readAt = marks.commit;
  assert.equal(marks.isTouchedAfter(name(1), readAt), false);
  marks.commit = 2;
  marks.keep([name(1)]);
  assert.equal(marks.isTouchedAfter(name(1), readAt), true);
  assert.equal(marks.isTouchedAfter(name(1), marks.commit), false);
});

test('a task of an earlier process was touched before all that this one reads', () => {
  assert.equal(new MirrorMarks().isTouchedAfter(name(1), 0), false);
});

test('of more tasks than are remembered the longest untouched are forgotten, and may have been touched', () => {
  const marks = new MirrorMarks();
  const [first, second] = [name(-1), name(-2)];
  marks.commit = 1;
  marks.keep([first, second]);
  marks.commit = 2;
  marks.keep([first]);
  marks.commit = 3;
  marks.keep(Array.from({ length: ROWS_CACHED_MAX - 1 }, (_, at) => name(at)));
  assert.deepEqual([marks.has(first), marks.has(second)], [true, false]);
  assert.deepEqual([marks.isTouchedAfter(second, 0), marks.isTouchedAfter(second, 1)], [true, false]);
});

test('after another process has written, everything may have been touched', () => {
  const marks = new MirrorMarks();
  marks.commit = 4;
  marks.keep([name(1)]);
  marks.forget();
  assert.deepEqual([marks.has(name(1)), marks.isTouchedAfter(name(1), 3)], [false, true]);
});
