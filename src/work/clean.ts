import { existsSync, lstatSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { workLeft } from '../domain/execution/recorded-changes.ts';
import { UNRECORDED_MS_MAX } from '../domain/limits.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import { type CleanDecision, decideClean } from '../domain/work/decide-clean.ts';
import { crashPoint } from '../platform/process/crash-point.ts';
import { pruneStores, refsIn, type Stores, storesIn } from '../workspace/shadow/clean-stores.ts';
import { moveRefsOf } from '../workspace/shadow/old-refs.ts';
import { forgetPrivateRepository } from '../workspace/shadow/private-repository.ts';
import { type Swept, sweepSaved } from '../workspace/sweep-saved.ts';
import { removeWorktree } from '../workspace/worktree/remove-worktree.ts';
import { WORKTREES } from './place/prepare-worktree.ts';
import { shadowsOf } from './place/work-folder.ts';
import { findRecordedWorkspace, recordedRepository } from './recorded-workspace.ts';
import type { LeftWork } from './work.ts';

/** The ledger, as a clean asks it. */
interface CleanLedger {
  /** The newest round of a task; null where the ledger does not know it. */
  workOf(task: string): (LeftWork & { readonly isOpen: boolean }) | null;
  /** The saved states that each round of each task names. */
  namedStates(): readonly { readonly taskId: string; readonly round: number; readonly names: readonly string[] }[];
  hasOpenOrders(): boolean;
  /** Records that the work of these tasks is removed; a refusal where that cannot be written. */
  record(tasks: readonly string[]): Promise<object | Refusal>;
}

export interface ParcelSweep {
  readonly dataFolder: string;
  readonly nowMs: number;
  /** Unpacked work and stores that nobody used for so long go. */
  readonly unusedMs: number;
  /** Whether the unpacked work at a path is needed; null where no task is known to use it. */
  isNeeded(root: string): boolean | null;
  /** Whether the task of a folder that is not in git still needs its git folder. */
  isFolderNeeded(name: string): boolean;
  /** Counts what would be removed, and removes nothing. */
  readonly isDry: boolean;
}

export interface SweptParcels {
  /** Folders of unpacked work. */
  readonly folders: number;
  readonly bytes: number;
}

interface CleanRequest {
  readonly dataFolder: string;
  readonly nowMs: number;
  readonly undoMs: number;
  /** Counts what would be removed, and removes nothing. */
  readonly isDry: boolean;
  readonly ledger: CleanLedger;
  /** Removes what parcels between nodes and is of no use any more. */
  sweepParcels(sweep: ParcelSweep): SweptParcels;
}

interface CleanResult {
  /** Tasks whose saved work was removed: they can no longer be shown, applied or undone. */
  readonly tasks: readonly TaskName[];
  readonly worktrees: number;
  readonly shadows: number;
  readonly objects: number;
  /** Copies of ignored files, states of git, and ignore rules. */
  readonly saved: number;
  readonly bytes: number;
  /** Tasks that keep their saved work, by the reason. */
  readonly kept: { readonly running: number; readonly waiting: number; readonly undoable: number };
}

type IsKept = (ref: string) => boolean;

/** Removes saved work that nobody needs any more. It can be killed and repeated at any point. */
export async function cleanWork(request: CleanRequest): Promise<CleanResult | Refusal> {
  const { dataFolder, isDry, ledger } = request;
  const stores = storesIn(dataFolder);
  const tasks = tasksIn(request, stores);
  if (!isDry)
    await moveOldRefs(
      dataFolder,
      tasks.flatMap((task) => ledger.workOf(task) ?? []),
    );
  const decisions = new Map(tasks.map((task) => [task, decide(request, task)]));
  const removed = tasks.filter((task) => decisions.get(task)?.kind === 'remove');
  const recorded = isDry || removed.length === 0 ? {} : await ledger.record(removed);
  if (isRefusal(recorded)) return recorded;
  crashPoint('workspace.clean-recorded');
  const folders = savedFolders(dataFolder, (task) => decisions.get(task)?.kind ?? 'keep');
  const bytes = [...folders.worktrees, ...folders.others].reduce((sum, folder) => sum + bytesIn(folder), 0);
  if (!isDry) removeFolders(dataFolder, folders);
  const isKept = keptNow(request, decisions);
  const pruned = await pruneStores(stores, { isKept, isDry });
  const swept = sweepStates(request, stores, isKept);
  const parcels = sweepParcelsOf(request, decisions);
  return {
    tasks: removed as TaskName[],
    worktrees: folders.worktrees.length + parcels.folders,
    shadows: pruned.names,
    objects: pruned.objects,
    saved: swept.files,
    bytes: bytes + pruned.bytes + swept.bytes + parcels.bytes,
    kept: keptBy([...decisions.values()]),
  };
}

/** Work of other nodes goes with what was saved of its task here. */
function sweepParcelsOf(request: CleanRequest, decisions: ReadonlyMap<string, CleanDecision>): SweptParcels {
  const { dataFolder, nowMs, undoMs, isDry, ledger } = request;
  const isRemoved = (task: string) => decisions.get(task)?.kind === 'remove';
  const roots = new Map<string, boolean>();
  for (const task of decisions.keys()) {
    const root = ledger.workOf(task)?.execution.order.parcel?.root;
    if (root !== undefined) roots.set(root, !isRemoved(task));
  }
  return request.sweepParcels({
    dataFolder,
    nowMs,
    unusedMs: undoMs,
    isNeeded: (root) => roots.get(realpathSync(root)) ?? null,
    isFolderNeeded: (folder) => !isRemoved(taskOf(folder)),
    isDry,
  });
}

/** States go with the shadow commits of their round. Nothing is awaited here: no run records a state meanwhile. */
function sweepStates({ dataFolder, nowMs, isDry, ledger }: CleanRequest, stores: Stores, isKept: IsKept): Swept {
  const tasks = new Set(refsIn(stores).map((ref) => ref.split('/')[2] ?? ''));
  // A ledger that was rebuilt or restored does not know which states an unknown task needs.
  if ([...tasks].some((task) => ledger.workOf(task) === null)) return { files: 0, bytes: 0 };
  const rounds = new Set(
    refsIn(stores)
      .filter(isKept)
      .map((ref) => ref.split('/').slice(2, 4).join('/')),
  );
  const named = ledger.namedStates().filter(({ taskId, round }) => rounds.has(`${taskId}/${round}`));
  // A run may have saved a state that its next fact will name.
  const before = ledger.hasOpenOrders() ? nowMs - UNRECORDED_MS_MAX : Number.POSITIVE_INFINITY;
  return sweepSaved({ dataFolder, kept: new Set(named.flatMap(({ names }) => names)), before, isDry });
}

/** Decides again once the store is free: somebody may have applied or retried a task meanwhile. */
function keptNow(request: CleanRequest, decisions: ReadonlyMap<string, CleanDecision>): IsKept {
  const now = new Map<string, boolean>();
  return (ref) => {
    const task = ref.split('/')[2] ?? '';
    if (decisions.get(task)?.kind !== 'remove') return true;
    const isKept = now.get(task) ?? decide(request, task).kind !== 'remove';
    now.set(task, isKept);
    return isKept;
  };
}

function keptBy(decisions: readonly CleanDecision[]): CleanResult['kept'] {
  const count = (reason: string) => decisions.filter((one) => one.kind === 'keep' && one.why === reason).length;
  const applied = decisions.filter(({ kind }) => kind === 'remove-worktree').length;
  return { running: count('running'), waiting: count('waiting'), undoable: count('undoable') + applied };
}

/** Tasks with shadow commits or a worktree. */
function tasksIn({ dataFolder }: CleanRequest, stores: Stores): readonly string[] {
  const named = refsIn(stores).map((ref) => ref.split('/')[2] ?? '');
  return [...new Set([...named, ...tasksOfWorktrees(dataFolder)])].filter((task) => task !== '');
}

function decide(request: CleanRequest, task: string): CleanDecision {
  const { nowMs, undoMs, ledger } = request;
  const found = ledger.workOf(task);
  // A ledger that was restored from a backup may not know it yet.
  if (found === null) return { kind: 'keep', why: 'waiting' };
  const { execution, isOpen } = found;
  const last = execution.workFacts.at(-1);
  // The later task works in this worktree, and its changes start from the files before this one.
  if (last?.kind === 'continued') return decide(request, last.inTask);
  const { snapshotted, reported, workFacts } = execution;
  const ends = [reported?.report.timing.completedAt, workFacts.at(-1)?.at].filter((at) => at !== undefined);
  return decideClean(
    {
      isOpen,
      isCleaned: execution.cleanedAt !== null,
      work: found.task.work,
      isInWorktree: snapshotted?.workplace.kind === 'worktree',
      hasChanges: workLeft(execution).length > 0,
      hasTheirChanges: workFacts.some(
        ({ kind, keptAs, hasSavedIgnored }) => kind === 'undone' && (keptAs !== null || hasSavedIgnored === true),
      ),
      lastAt: ends.length === 0 ? null : Math.max(...ends),
    },
    { nowMs, undoMs },
  );
}

/**
 * Moves the refs that earlier versions left in the repositories of tasks into the data folder. They are known by their names in
 * the store, so this comes before a name is forgotten.
 */
async function moveOldRefs(dataFolder: string, works: readonly LeftWork[]): Promise<void> {
  const seen = new Set<string>();
  for (const { execution } of works) {
    const { order, snapshotted } = execution;
    const repository = snapshotted && recordedRepository(order, snapshotted);
    if (!snapshotted || !repository || seen.has(repository.root)) continue;
    seen.add(repository.root);
    const found = await findRecordedWorkspace({ ...snapshotted, repository }, dataFolder);
    if (isRefusal(found) || found.isGone) continue;
    const place = shadowsOf({ workplace: { kind: 'in-place' }, dataFolder, repository: found.repository });
    await moveRefsOf({ ...place, ...(found.recordedIn && { recordedIn: found.recordedIn }) });
  }
}

/** Folders of the data folder with the work of tasks. */
interface SavedFolders {
  readonly worktrees: readonly string[];
  /** Snapshots of outputs, and files that an undo moved away. */
  readonly others: readonly string[];
}

/** The folders of tasks that are to be removed, by the decision on each task. */
function savedFolders(dataFolder: string, kindOf: (task: string) => CleanDecision['kind']): SavedFolders {
  const parent = join(dataFolder, WORKTREES);
  const worktrees = entriesOf(parent).filter((name) => kindOf(taskOf(name)) !== 'keep');
  const others = ['snapshots', 'undone'].flatMap((name) =>
    entriesOf(join(dataFolder, name))
      .filter((task) => kindOf(task) === 'remove')
      .map((task) => join(dataFolder, name, task)),
  );
  return { worktrees: worktrees.map((name) => join(parent, name)), others };
}

function removeFolders(dataFolder: string, { worktrees, others }: SavedFolders): void {
  for (const folder of worktrees) {
    removeWorktree(folder);
    forgetPrivateRepository({ keptFolder: join(dataFolder, 'shadows'), root: folder });
    crashPoint('workspace.clean-worktree');
  }
  for (const folder of others) rmSync(folder, { recursive: true, force: true });
}

/** The tasks that have a worktree. */
function tasksOfWorktrees(dataFolder: string): readonly string[] {
  return entriesOf(join(dataFolder, WORKTREES)).map(taskOf);
}

function entriesOf(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** The task of a worktree's folder, which ends with the number of its round. */
function taskOf(worktree: string): string {
  return basename(worktree).replace(/-\d+(\.new|\.gone)?$/, '');
}

function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + (isOpenFolder(path) ? bytesIn(path) : 0);
    return sum + (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

/** An agent may have closed a folder: it is removed, but not counted. */
function isOpenFolder(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o500) === 0o500;
}
