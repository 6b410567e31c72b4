import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskName } from '../task/task.ts';
import { type ChangingTask, findOverlaps, isCompared } from './overlap.ts';

function changing(taskId: string, paths: string, more: Partial<ChangingTask> = {}): ChangingTask {
  const whole = { repository: '/r/.git', isInPlace: false, begun: 1, ended: null, differing: new Set<string>() };
  return { ...whole, taskId: taskId as TaskName, paths: new Set(paths.split(' ')), ...more };
}

function told(task: ChangingTask, ...others: ChangingTask[]): readonly string[] {
  return findOverlaps(task, others).map((overlap) => `${overlap.with ?? 'person'}: ${overlap.paths.join(' ')}`);
}

test('two tasks that change the same files overlap, each with the other', () => {
  const [a, b, c] = [changing('a', 'x y z'), changing('b', 'z y q'), changing('c', 'q')];
  assert.deepEqual(told(a, b, c), ['b: y z']);
  assert.deepEqual(told(b, a, c), ['a: y z', 'c: q']);
});

test('the same path in another repository is no overlap', () => {
  assert.deepEqual(told(changing('a', 'x'), changing('b', 'x', { repository: '/s/.git' })), []);
});

test('work that had ended before is no overlap, work that went on beside it is', () => {
  const late = changing('late', 'x', { begun: 5 });
  assert.deepEqual(told(late, changing('before', 'x', { ended: 4 })), []);
  assert.deepEqual(told(late, changing('beside', 'x', { ended: 6 })), ['beside: x']);
});

test('a change of the user’s files is a person’s unless a task works there and made it', () => {
  const apart = changing('apart', 'x y', { differing: new Set(['x', 'y']) });
  assert.deepEqual(told(apart), ['person: x y']);
  assert.deepEqual(told(apart, changing('here', 'x', { isInPlace: true })), ['here: x', 'person: y']);
});

test('an ended task is compared until all that worked beside it have ended', () => {
  const ended = changing('ended', 'x', { begun: 1, ended: 3 });
  assert.equal(isCompared(ended, [changing('beside', 'x', { begun: 2 })]), true);
  assert.equal(isCompared(ended, [changing('after', 'x', { begun: 4 })]), false);
  assert.equal(isCompared(ended, [changing('beside', 'x', { begun: 2, ended: 5 })]), false);
});
