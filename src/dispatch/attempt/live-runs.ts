import type { OverlapRadar } from '../../work/overlap-radar.ts';
import type { DaySpend } from './day-spend.ts';
import type { ProgressGates } from './progress-gates.ts';
import type { RunActivities } from './run-activities.ts';

/** The state of running agents that a node keeps in memory only. */
export interface LiveRuns {
  readonly progress: ProgressGates;
  readonly activities: RunActivities;
  readonly daySpend: DaySpend;
  readonly overlaps: OverlapRadar;
}
