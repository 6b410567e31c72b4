import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskLife } from '../../test/support/task/task-life.ts';
import { silentLogger } from '../platform/logger.ts';
import { OverlapRadar } from './overlap-radar.ts';

test('two tasks are a pair while both work, under the one that began later', async () => {
  const life = await TaskLife.open();
  const { ledger } = life.at;
  const radar = new OverlapRadar({ ledger, log: silentLogger });
  const names = await Promise.all(['1', '2', '3'].map((title) => life.create({ title })));
  const [first, second] = names;
  assert.ok(first && second);
  for (const taskId of names) {
    radar.begin({ taskId, runId: `run of ${taskId}`, repository: '/repo/.git', isInPlace: false });
    await radar.saw(taskId, ['money.ts']);
  }
  const pairs = () => radar.pairs().map(({ taskId, with: other }) => `${taskId.slice(-1)} with ${other?.slice(-1)}`);
  assert.deepEqual(pairs().sort(), ['2 with 1', '3 with 1', '3 with 2']);
  const told = "SELECT count(*) FROM events WHERE type = 'work.overlapped'";
  assert.deepEqual(ledger.read.tuple(told), [6], 'each pair is told to both');
  radar.end(second);
  assert.deepEqual(pairs(), ['3 with 1'], 'work that is over waits to be applied, and nobody can stop it');
  assert.equal(radar.of(first).length, 2, 'a running task still names it');
});
