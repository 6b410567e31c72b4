import { existsSync, readFileSync } from 'node:fs';
import type { OrderReport } from '../../api/order/order-contract.ts';
import { viewHandledWork, viewSummary, viewTask, viewVerdict } from '../../api/task/views.ts';
import { findStaleFiles } from '../../checks/checked-files.ts';
import { receiptFile, verifyReceipt } from '../../checks/receipt.ts';
import { type Attempt, type Execution, judgementOf } from '../../domain/execution/execution.ts';
import { checkable, checksBefore } from '../../domain/execution/make-report.ts';
import { gitTexts, ignoredSentences, workLeft } from '../../domain/execution/recorded-changes.ts';
import { FILE_STATUSES } from '../../domain/order/record-words.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { maskWrittenValue } from '../../domain/secrets/mask-written.ts';
import type { Task } from '../../domain/task/task.ts';
import { compareChecks } from '../../domain/work/compare-checks.ts';
import { isTakenBack } from '../../domain/work/work-state.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { encodeResponse } from '../../protocols/aop/encode-response.ts';
import { readJsonText } from '../../protocols/read-json-text.ts';
import { placesOf } from '../../work/place/work-folder.ts';
import { presentWorkspace } from '../../work/recorded-workspace.ts';
import type { LeftWork } from '../../work/work.ts';

/** The result of an order, as far as it is known. */
export async function reportOf(world: OrderWorld, { task, round, execution }: LeftWork): Promise<OrderReport> {
  const { reported, snapshotted } = execution;
  const checked = execution.attempts.findLast(({ verified }) => verified !== null);
  const workplace = snapshotted?.workplace ?? null;
  return {
    task: viewTask(task),
    round,
    isOver: reported !== null,
    ...viewVerdict(judgementOf(execution)),
    response: reported && encodeResponse(execution.order, reported.report),
    summary: reported && maskWrittenValue(viewSummary(reported.report)),
    checks: compareChecks(checkable(checksBefore(execution)), checkable(checked?.verified?.results ?? [])),
    failures: failuresOf(checked?.verified?.results ?? []),
    changed: workLeft(execution).map(({ path, status }) => ({ path, status: FILE_STATUSES[status] })),
    git: gitTexts(execution, task.id),
    ignored: ignoredSentences(execution),
    receipt: await receiptOf(world, task, execution),
    handled: execution.workFacts.map(viewHandledWork),
    cleanedAt: execution.cleanedAt === null ? null : new Date(execution.cleanedAt).toISOString(),
    workplace: workplace && {
      kind: workplace.kind,
      folder: workplace.kind === 'worktree' ? workplace.folder : execution.order.workspaceRoot,
    },
  };
}

function failuresOf(results: NonNullable<Attempt['verified']>['results']): OrderReport['failures'] {
  return results
    .filter(({ result }) => result === 'failed' || result === 'could-not-run')
    .map(({ id, message, why = message, tail }) => ({ id, message: why, tail }));
}

/** The receipt of an order, and the files that changed since it was written: those of the user, once work was applied. */
export async function receiptOf(world: OrderWorld, task: Task, execution: Execution): Promise<OrderReport['receipt']> {
  const file = receiptFile(world.dataFolder, task.id);
  if (execution.reported === null || !existsSync(file)) return null;
  const verdict = verifyReceipt(readFileSync(file, 'utf8'), readJsonText);
  if (verdict.verdict !== 'valid' || isTakenBack(task.work)) return { file, staleFiles: [] };
  const stale = await findStaleFiles(verdict.receipt, await presentPlaces(world, whereItIs(execution)));
  return { file, staleFiles: stale.map(({ path }) => path) };
}

/** The places of the files now: a repository that was copied or moved with its data folder has them where it is. */
async function presentPlaces(world: OrderWorld, execution: Execution) {
  const { workspaceRoot } = execution.order;
  const root = await presentWorkspace({ workspaceRoot, isBound: false }, execution, world.dataFolder);
  const recorded = placesOf(world, execution);
  return isRefusal(root) || root === workspaceRoot ? recorded : { ...recorded, workspaceRoot: root, mounts: [] };
}

/** Applied work is in the files of the user; its worktree may be gone. */
function whereItIs(execution: Execution): Execution {
  const { snapshotted, workFacts } = execution;
  const last = workFacts.at(-1);
  if (!snapshotted || last?.kind !== 'applied' || last.branch !== null) return execution;
  return { ...execution, snapshotted: { ...snapshotted, workplace: { kind: 'in-place' } } };
}
