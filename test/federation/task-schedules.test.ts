import { test } from 'node:test';
import { playTaskSchedules } from '../support/remote/play-tasks.ts';
import { SEED } from '../support/seed.ts';

const RUNS = Number(process.env.BATON_SCHEDULES ?? 8);

test(`after ${RUNS} random schedules every task has an end, one result at most is applied, and nobody has one left (seed ${SEED})`, async () => {
  await playTaskSchedules(RUNS, SEED);
});
