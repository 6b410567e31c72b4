import { test } from 'node:test';
import { playSchedules } from '../support/federation/play-federation.ts';
import { SEED } from '../support/seed.ts';

const RUNS = Number(process.env.BATON_SCHEDULES ?? 60);

test(`after ${RUNS} random schedules nothing is lost, nothing is injected twice, and every hole has its incident (seed ${SEED})`, async () => {
  await playSchedules(RUNS, SEED);
});
