import { type Execution, lastRun } from '../../domain/execution/execution.ts';
import { firstCommit, lastCommit } from '../../domain/execution/recorded-changes.ts';
import { PRIOR_REPORT_MS_MAX } from '../../domain/limits.ts';
import type { PriorResult } from '../../domain/order/prior-result.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { isTakenBack } from '../../domain/work/work-state.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { waitAtMost } from '../../platform/timer.ts';
import { changedFiles } from '../../workspace/diff-shadows.ts';
import { applyRun } from '../../workspace/merge/apply-run.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import { takeShadow } from '../../workspace/shadow/take-shadow.ts';
import type { WorkWorld } from '../work-world.ts';

/** A task that another one waited for, and its last order. */
interface PriorWork {
  readonly task: Task;
  readonly execution: Execution;
}

/** In the order in which the task names them; those that were never given to an agent are left out. */
function priorWork(read: Reader, { dependsOn }: Pick<Task, 'dependsOn'>): readonly PriorWork[] {
  return dependsOn.flatMap((id) => {
    const [task, row] = [selectTask(read, id), selectOrder(read, id)];
    return task && row ? [{ task, execution: selectExecution(read, row) }] : [];
  });
}

/** Waits until the tasks that the order waited for are reported, a moment after they were settled: then they have a receipt. */
export async function waitForReports({ ledger }: WorkWorld, open: OpenOrder, signal: AbortSignal): Promise<void> {
  const isOpen = () => open.task.dependsOn.some((id) => selectOrder(ledger.read, id)?.isOpen);
  if (!isOpen() || signal.aborted) return;
  const over = Promise.withResolvers<void>();
  const forget = ledger.onCommitted(() => {
    if (!isOpen()) over.resolve();
  });
  const stop = () => over.resolve();
  signal.addEventListener('abort', stop, { once: true });
  await waitAtMost(over.promise, PRIOR_REPORT_MS_MAX);
  signal.removeEventListener('abort', stop);
  forget();
}

/** Whether work that the order builds on waits in a worktree, so that the user's files do not have it. */
export function hasWaitingPrior(read: Reader, task: Pick<Task, 'dependsOn'>, repository: Repository): boolean {
  return priorWork(read, task).some(
    (prior) =>
      spanOf(prior, repository) !== null &&
      prior.execution.snapshotted?.workplace.kind === 'worktree' &&
      prior.task.work !== 'applied' &&
      (lastRun(prior.execution)?.collected?.changed.length ?? 0) > 0,
  );
}

/** The states before and after a work; null if nothing of it is there to build on. */
function spanOf({ task, execution }: PriorWork, repository: Repository) {
  const [before, after] = [firstCommit(execution), lastCommit(execution)];
  const isHere = execution.snapshotted?.repository?.root === repository.root;
  if (!isHere || execution.cleanedAt !== null || isTakenBack(task.work)) return null;
  return before === null || after === null ? null : { before, after };
}

interface NewWorktree {
  readonly place: ShadowPlace;
  readonly repository: Repository;
  readonly head: string;
}

/**
 * Merges the work that an order builds on into its new worktree, each task after those that it waited for itself. Returns the
 * tasks whose work is in it now.
 */
export async function addPriorWork(
  world: WorkWorld,
  open: OpenOrder,
  { place, repository, head }: NewWorktree,
): Promise<readonly TaskName[] | Refusal> {
  const { read } = world.ledger;
  const [first, ...others] = priorWork(read, open.task);
  const merged = new Map<TaskName, PriorWork>();
  if (first === undefined) return [];
  const about = { task: open.task.id, atMs: world.clock.now().wallMs };
  const merge = async (prior: PriorWork, before?: string): Promise<Refusal | null> => {
    const span = merged.has(prior.task.id) ? null : spanOf(prior, repository);
    if (span === null) return null;
    const label = `${open.round}/prior-${merged.size + 1}`;
    const applied = await applyRun(place, { ...about, label, ...span, ...(before !== undefined && { before }) });
    if (isRefusal(applied))
      return await conflictOf(applied, { place, prior, merged: [...merged.values()], repository });
    merged.set(prior.task.id, prior);
    return null;
  };
  // The worktree of the first began at the same commit: what it left has all that it was built on, too.
  const basis = first.execution.snapshotted?.basedOn ?? [];
  const isWhole =
    first.execution.snapshotted?.workplace.kind === 'worktree' && first.execution.snapshotted.head === head;
  if (isWhole && spanOf(first, repository) !== null) {
    const { commit } = await takeShadow(place, { ...about, label: `${open.round}/head` });
    const refusal = await merge(first, commit);
    if (refusal) return refusal;
    for (const prior of priorWork(read, { dependsOn: basis })) merged.set(prior.task.id, prior);
  }
  for (const prior of merged.size > 0 ? others : [first, ...others]) {
    for (const each of [...earlierOf(read, prior, merged), prior]) {
      const refusal = await merge(each);
      if (refusal) return refusal;
    }
  }
  return [...merged.keys()];
}

/** The tasks behind one, each after those that it waited for; known ones are left out. */
function earlierOf(read: Reader, { task }: PriorWork, known: ReadonlyMap<TaskName, PriorWork>): readonly PriorWork[] {
  const found = new Map<TaskName, PriorWork>();
  const add = (waits: Task) => {
    for (const prior of priorWork(read, waits)) {
      if (known.has(prior.task.id) || found.has(prior.task.id)) continue;
      add(prior.task);
      found.set(prior.task.id, prior);
    }
  };
  add(task);
  return [...found.values()];
}

interface Sides {
  readonly place: ShadowPlace;
  readonly prior: PriorWork;
  readonly merged: readonly PriorWork[];
  readonly repository: Repository;
}

/** Names both sides: the work that could not be merged, and those before it that changed the same files. */
async function conflictOf(refusal: Refusal, { place, prior, merged, repository }: Sides): Promise<Refusal> {
  const paths = refusal.details ?? [];
  if (refusal.code !== 'merge_conflict') return refusal;
  const others: string[] = [];
  for (const other of merged) {
    const span = spanOf(other, repository);
    const changed = span === null ? [] : await changedFiles(place, span);
    if (changed.some(({ path }) => paths.includes(path))) others.push(nameOf(other));
  }
  const against = others.length === 0 ? 'HEAD' : others.join(' and ');
  const message = `the work of ${nameOf(prior)} and ${against}, which it builds on, conflicts in ${paths.join(', ')}`;
  const hint = 'apply one, then rerun the other; or make one depend on the other';
  return { ...refuse('dependency-failed', message), hint, details: paths };
}

function nameOf({ task, execution }: PriorWork): string {
  return `${execution.order.taskId} (${task.id})`;
}

/** The results of the tasks that an order waited for. */
export function priorResults({ ledger }: WorkWorld, { task, execution }: OpenOrder): readonly PriorResult[] {
  const { workplace = { kind: 'in-place' }, basedOn = [] } = execution.snapshotted ?? {};
  return priorWork(ledger.read, task).flatMap((prior) => {
    const { order, reported, outcome, snapshotted } = prior.execution;
    const report = reported?.report ?? null;
    if (outcome === null) return [];
    const isInPlace = snapshotted?.workplace.kind !== 'worktree' && !isTakenBack(prior.task.work);
    return {
      member: order.taskId,
      task: prior.task.id,
      isChild: prior.task.parentId === task.id,
      agent: report?.agent.name ?? lastRun(prior.execution)?.agent ?? '',
      verdict: outcome.verdict,
      summary: report?.summary ?? outcome.message,
      files: lastRun(prior.execution)?.collected?.changed ?? [],
      isInFiles:
        workplace.kind === 'worktree' ? basedOn.includes(prior.task.id) : isInPlace || prior.task.work === 'applied',
      receipt: report?.receipt ?? null,
    };
  });
}
