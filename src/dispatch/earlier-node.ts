import { join } from 'node:path';
import { sweepProcesses } from '../agents/process/sweep-processes.ts';
import { leftPointers, removeLeftPointers } from '../agents/sandbox/bubblewrap/left-pointers.ts';
import { lastRun } from '../domain/execution/execution.ts';
import { refusedOutcome } from '../domain/execution/judge-dispatch.ts';
import { failureOfRefusal, isRefusal } from '../domain/refusal.ts';
import { selectRun } from '../ledger/statements/runs.ts';
import type { OpenOrder, OrderStore } from '../operations/order/order-store.ts';
import { tidyScratch } from '../work/place/scratch-folder.ts';
import { retakeWorkplace, tidyWorktrees } from '../work/place/take-workplace.ts';
import { presentWorkspace } from '../work/recorded-workspace.ts';
import type { WorkWorld } from '../work/work-world.ts';
import { workspaceRoots } from '../workspace/shadow/kept-folders.ts';

/** Takes over from an earlier node, which may have been killed. */
export interface EarlierNode {
  /** Removes its unfinished worktrees and scratch copies. Called once, before the first order. */
  tidy(): void;
  /**
   * Reserves the workspace of an order that it started. False for an order of the repository that this one is a copy of, since
   * the node there may still run it: the order is settled here, and neither its files nor its processes are touched.
   */
  takeOver(open: OpenOrder): Promise<boolean>;
  /** Kills the remaining processes of a run that it started. */
  sweep(runId: string): Promise<void>;
}

export function earlierNode(world: WorkWorld, store: OrderStore): EarlierNode {
  return {
    tidy: () => {
      tidyWorktrees(world);
      tidyScratch(world);
    },
    takeOver: (open) => takeOver(world, store, open),
    sweep: (runId) => sweepRun(world, runId),
  };
}

async function takeOver(world: WorkWorld, store: OrderStore, open: OpenOrder): Promise<boolean> {
  const { task, execution } = open;
  if (execution.remote !== null) return true;
  const asked = { workspaceRoot: execution.order.workspaceRoot, isBound: true };
  const found = execution.outcome === null ? await presentWorkspace(asked, execution, world.dataFolder) : '';
  if (!isRefusal(found)) {
    retakeWorkplace(world, open);
    return true;
  }
  const { runId = null } = lastRun(execution) ?? {};
  const nothing = { commit: null, changed: [], violations: [] };
  // So that the files of the original are not looked at.
  if (runId !== null) await store.record(task.id, { kind: 'collected', runId, ...nothing });
  // Refused only where somebody moved the task: then its order is over without this node.
  await store.settle(open, refusedOutcome(failureOfRefusal(found)), true);
  return false;
}

async function sweepRun({ ledger, timer }: WorkWorld, runId: string): Promise<void> {
  const run = selectRun(ledger.read, runId);
  const { bootId } = run?.leaseExpires ?? { bootId: '' };
  const identity = run?.process ? { ...run.process, bootId } : null;
  await sweepProcesses([{ runId, identity }], timer);
}

/** Files `commondir` that killed runs of this data folder left in repositories. */
export function leftPlaceholders(dataFolder: string): readonly string[] {
  return rootsOf(dataFolder).flatMap(leftPointers);
}

/** A run removes its own; after a kill -9 the next node does. */
export function removeLeftPlaceholders(dataFolder: string): void {
  for (const root of rootsOf(dataFolder)) removeLeftPointers(root);
}

function rootsOf(dataFolder: string): readonly string[] {
  return workspaceRoots(join(dataFolder, 'shadows'));
}
