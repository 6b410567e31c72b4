import assert from 'node:assert/strict';
import test from 'node:test';
import type { TaskName } from '../../domain/task/task.ts';
import { Workplaces } from './workplaces.ts';

const first = 'TASK-2026-11-16-001' as TaskName;
const second = 'TASK-2026-11-16-002' as TaskName;

test('a folder, what is above it and what is below it belong to one task at a time', () => {
  const places = new Workplaces();
  assert.equal(places.take(first, '/work/app'), true);
  assert.equal(places.take(first, '/work/app'), true, 'the same task asks again after a restart');
  for (const folder of ['/work/app', '/work/app/src', '/work']) {
    assert.equal(places.take(second, folder), false, folder);
    assert.equal(places.holderOf(folder), first);
  }
  assert.equal(places.take(second, '/work/app-2'), true, 'a name that only begins the same is another folder');
});

test('a folder that was let go is free', () => {
  const places = new Workplaces();
  places.take(first, '/work/app');
  places.release(first);
  assert.equal(places.holderOf('/work/app'), null);
  assert.equal(places.take(second, '/work/app'), true);
});

test('whoever waits for a folder is held up until nobody has it, and is told so once', () => {
  const places = new Workplaces();
  places.take(first, '/repo');
  assert.equal(places.take(second, '/repo/part'), false);
  assert.deepEqual([places.wait(second, '/repo/part'), places.wait(second, '/repo/part')], [true, false]);
  assert.equal(places.isHeldUp(second), true);
  places.release(first);
  assert.equal(places.isHeldUp(second), false);
  assert.equal(places.take(second, '/repo/part'), true);
  assert.equal(places.isHeldUp(second), false);
});
