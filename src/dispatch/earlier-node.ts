import { sweepProcesses } from '../agents/process/sweep-processes.ts';
import { selectRun } from '../ledger/statements/runs.ts';
import type { OpenOrder } from './order-book.ts';
import type { RunWorld } from './run-world.ts';
import { tidyScratch } from './workplace/scratch-folder.ts';
import { retakeWorkplace, tidyWorktrees } from './workplace/take-workplace.ts';

/** Takes over from an earlier node, which may have been killed. */
export interface EarlierNode {
  /** Removes its unfinished worktrees and scratch copies. Called once, before the first order. */
  tidy(): void;
  /** Reserves the workspace of an order that it started. */
  reserve(order: OpenOrder): void;
  /** Kills the remaining processes of a run that it started. */
  sweep(runId: string): Promise<void>;
}

export function earlierNode(world: RunWorld): EarlierNode {
  return {
    tidy: () => {
      tidyWorktrees(world);
      tidyScratch(world);
    },
    reserve: (open) => retakeWorkplace(world, open),
    sweep: (runId) => sweepRun(world, runId),
  };
}

async function sweepRun({ ledger, timer }: RunWorld, runId: string): Promise<void> {
  const run = selectRun(ledger.read, runId);
  const { bootId } = run?.leaseExpires ?? { bootId: '' };
  const identity = run?.process ? { ...run.process, bootId } : null;
  await sweepProcesses([{ runId, identity }], timer);
}
