import { sweepProcesses } from '../../agents/process/sweep-processes.ts';
import { selectRun } from '../../ledger/statements/runs.ts';
import type { RunWorld } from '../run-world.ts';

/** Kills the remaining processes of a run whose node died. */
export async function sweepStep(world: RunWorld, runId: string): Promise<void> {
  const run = selectRun(world.ledger.read, runId);
  const { bootId } = run?.leaseExpires ?? { bootId: '' };
  const identity = run?.process ? { ...run.process, bootId } : null;
  await sweepProcesses([{ runId, identity }], world.timer);
}
