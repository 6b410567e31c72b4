import type { CheckResult } from '../domain/execution/check-result.ts';
import { lastRun } from '../domain/execution/execution.ts';
import type { Order } from '../domain/order/order.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import { verifyCopy, verifyWork } from '../work/place/check-work.ts';
import { inScratch } from '../work/place/scratch-folder.ts';
import { workFolderOf } from '../work/place/work-folder.ts';
import { changeableStates, type LeftWork, nothingDone, type States, type WorkDone } from '../work/work.ts';
import { changedFiles } from '../workspace/diff-shadows.ts';
import { branchRun } from '../workspace/merge/branch-run.ts';
import { mergeRuns } from '../workspace/merge/merge-runs.ts';

/** The works of a session on one new branch. */
export interface BranchedWorks {
  readonly kind: 'branched-works';
  readonly branch: string;
  readonly commit: string;
  /** The merged files, as a tree in Baton's own store. */
  readonly tree: string;
  /** One a work, in the same order. */
  readonly done: readonly WorkDone[];
}

export interface WorksConflict {
  readonly kind: 'works-conflict';
  readonly at: number;
  readonly paths: readonly string[];
}

/** Commits several works, merged one after the other, to one new branch. The user's files stay as they are. */
export async function branchWorks(
  world: OrderWorld,
  works: readonly [LeftWork, ...LeftWork[]],
  { branch, message }: { readonly branch: string; readonly message: string },
): Promise<BranchedWorks | WorksConflict | Refusal> {
  const states: States[] = [];
  for (const work of works) {
    const found = await changeableStates(world, work);
    if (isRefusal(found)) return found;
    states.push(found);
  }
  const [first] = states as [States];
  const merged = await mergeRuns(first.theirs, states);
  if (merged.kind === 'conflict') return { ...merged, kind: 'works-conflict' };
  const made = await branchRun(first.theirs, {
    task: works[0].task.id,
    branch,
    message,
    tip: null,
    before: first.before,
    after: merged.tree,
    head: works[0].execution.snapshotted?.head ?? null,
    atMs: world.clock.now().wallMs,
  });
  if (isRefusal(made)) return made;
  const done = await Promise.all(
    states.map(async (state) => {
      const files = (await changedFiles(state.theirs, state)).map(({ path }) => path);
      return { ...nothingDone(state), branch: made.branch, commit: made.commit, files };
    }),
  );
  return { kind: 'branched-works', branch: made.branch, commit: made.commit, tree: merged.tree, done };
}

interface MergedCheck {
  readonly checks: readonly string[];
  /** The merged files in Baton's own store; null checks the user's own files. */
  readonly tree: string | null;
}

/** Runs the checks of a session on the merged work, with the rights of one of its tasks. */
export async function checkMerged(
  world: OrderWorld,
  { task, round, execution }: LeftWork,
  { checks, tree }: MergedCheck,
): Promise<readonly CheckResult[]> {
  const order: Order = { ...execution.order, checks, outputs: [], phases: [] };
  const asked = { ...execution, order };
  const workplace = { kind: 'in-place' } as const;
  if (tree === null) return (await verifyWork(world, { task: task.id, execution: asked, workplace })).results;
  const { head = null, repository } = execution.snapshotted ?? {};
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head, repository });
  const before = lastRun(execution)?.collected?.commit ?? tree;
  if (folder.shadows === null) return [];
  const wanted = { before, after: tree, paths: [] };
  const work = { task, round, execution: asked };
  return await inScratch(world, { work, folder, shadows: folder.shadows, wanted }, async (copy) => {
    return (await verifyCopy(world, { task: task.id, execution: copy.execution }, copy.folder)).results;
  });
}
