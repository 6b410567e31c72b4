import { existsSync, readFileSync } from 'node:fs';
import { findStaleFiles } from '../../checks/checked-files.ts';
import { receiptFile, verifyReceipt } from '../../checks/receipt.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { placesOf } from '../../dispatch/steps/order-places.ts';
import type { LeftWork } from '../../dispatch/work-of-task.ts';
import { compareChecks } from '../../domain/decisions/compare-checks.ts';
import { changesLeft } from '../../domain/execution/changes-left.ts';
import { type Execution, lastRun } from '../../domain/execution/execution.ts';
import { readJsonText } from '../../protocols/read-json-text.ts';
import type { OrderReport } from '../order-contract.ts';
import { viewTask } from '../views.ts';

/** The result of an order, as far as it is known. */
export async function reportOf(world: RunWorld, { task, execution }: LeftWork): Promise<OrderReport> {
  const { outcome, reported, snapshotted } = execution;
  const last = lastRun(execution);
  const workplace = snapshotted?.workplace ?? null;
  return {
    task: viewTask(task),
    isOver: reported !== null,
    signal: outcome?.signal ?? null,
    isUnchecked: outcome?.isUnchecked ?? false,
    isStopped: outcome?.signal === 'ABORTED' && (execution.stopRequestedBy !== null || last?.end?.kind === 'stopped'),
    response: (reported?.response ?? null) as OrderReport['response'],
    checks: comparedChecks(execution),
    changed: changesLeft(execution).map(({ path, status }) => ({ path, status })),
    receipt: await receiptOf(world, task.id, execution),
    workplace: workplace && {
      kind: workplace.kind,
      folder: workplace.kind === 'worktree' ? workplace.folder : execution.order.workspaceRoot,
    },
  };
}

function comparedChecks({ snapshotted, attempts }: Execution): OrderReport['checks'] {
  const checkable = <T extends { readonly result: string }>(results: readonly T[]) =>
    results.flatMap((each) =>
      each.result === 'not-checkable' ? [] : [each as T & { readonly result: 'passed' | 'failed' | 'could-not-run' }],
    );
  const after = attempts.findLast(({ verified }) => verified)?.verified?.results ?? [];
  return compareChecks(checkable(snapshotted?.checks ?? []), checkable(after));
}

async function receiptOf(world: RunWorld, task: string, execution: Execution): Promise<OrderReport['receipt']> {
  const file = receiptFile(world.dataFolder, task);
  if (execution.reported === null || !existsSync(file)) return null;
  const verdict = verifyReceipt(readFileSync(file, 'utf8'), readJsonText);
  if (verdict.verdict !== 'valid') return { file, staleFiles: [] };
  const stale = await findStaleFiles(verdict.receipt, placesOf(world, execution));
  return { file, staleFiles: stale.map(({ path }) => path) };
}
