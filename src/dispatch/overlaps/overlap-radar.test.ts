import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskName } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { OverlapRadar } from './overlap-radar.ts';

const ledger = { submit: async () => ({ events: [] }) } as unknown as Ledger;
const [FIRST, SECOND, THIRD] = ['TASK-2026-11-18-001', 'TASK-2026-11-18-002', 'TASK-2026-11-18-003'] as TaskName[];

test('two tasks are a pair while both work, under the one that began later', async () => {
  const radar = new OverlapRadar({ ledger, log: { log: () => {} } });
  for (const taskId of [FIRST, SECOND, THIRD] as TaskName[]) {
    radar.begin({ taskId, runId: `run of ${taskId}`, repository: '/repo/.git', isInPlace: false });
    await radar.saw(taskId, ['money.ts']);
  }
  const pairs = () => radar.pairs().map(({ taskId, with: other }) => `${taskId.slice(-1)} with ${other?.slice(-1)}`);
  assert.deepEqual(pairs().sort(), ['2 with 1', '3 with 1', '3 with 2']);
  radar.end(SECOND as TaskName);
  assert.deepEqual(pairs(), ['3 with 1'], 'work that is over waits to be applied, and nobody can stop it');
  assert.equal(radar.of(FIRST as TaskName).length, 2, 'a running task still names it');
});
