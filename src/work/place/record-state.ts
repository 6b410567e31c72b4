import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { hashFile } from '../../checks/checked-files.ts';
import { resolveTaskPath, type WorkspacePlaces } from '../../checks/workspace-places.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import type { ChangedFile, GitChanges, GitSearch, IgnoredFindings } from '../../domain/execution/findings.ts';
import type { Order } from '../../domain/order/order.ts';
import { SNAPSHOTS_FOLDER } from '../../domain/order/order.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { GitChange } from '../../domain/work/git-state.ts';
import { isWithin, wholePath } from '../../domain/work/path-text.ts';
import { countFiles, type RecordedState } from '../../domain/work/point.ts';
import { selectLastPoint } from '../../ledger/statements/points.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { changedFiles } from '../../workspace/diff-shadows.ts';
import {
  type FoundExecuted,
  inventoryBefore,
  searchExecuted,
} from '../../workspace/executed-by-git/search-executed.ts';
import {
  type FoundGitChanges,
  findGitChanges,
  recordGitState,
  type StatePlace,
} from '../../workspace/git-state/find-git-changes.ts';
import { findIgnoredChanges, type SavedPlace, saveIgnored } from '../../workspace/ignored/saved-ignored.ts';
import { keepCommits } from '../../workspace/keep-commits.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import { type Shadow, type ShadowRequest, shadowRef, takeShadow } from '../../workspace/shadow/take-shadow.ts';
import type { WorkWorld } from '../work-world.ts';
import { placesIn, realFolder, type WorkFolder } from './work-folder.ts';

/** Records the files, ignored ones, what git executes and git itself before the work; git does most of it meanwhile. */
export async function shadowBefore(
  world: WorkWorld,
  { order, folder, signal }: { readonly order: Order; readonly folder: WorkFolder; readonly signal: AbortSignal },
  shadow: ShadowRequest,
) {
  const [before, gitInventory, gitState] = await Promise.all([
    folder.shadows && takeShadow({ ...folder.shadows, signal }, { ...shadow, findsUnrecorded: true }),
    inventoryBefore(searchPlaceOf(world, order, folder), shadow.atMs),
    recordState(world, folder),
  ]);
  return { before, gitInventory, gitState, ignoredState: await recordIgnored(world, folder, before) };
}

/** The recording of a state after the work began. */
interface StateAfter {
  readonly folder: WorkFolder & { readonly shadows: NonNullable<WorkFolder['shadows']> };
  readonly shadow: ShadowRequest;
  /** The saved state of ignored files to compare with. */
  readonly ignoredBase: string | undefined;
}

/** Records the files; once more by the earlier ignore rules if the work changed them, so that it hides nothing. */
export async function shadowAndSearch(world: WorkWorld, state: StateAfter, searching: Promise<GitSearchAfter>) {
  const { folder, ignoredBase: base } = state;
  const order = { ...state.shadow, findsUnrecorded: base !== undefined };
  const [first, { rules, ...search }] = await Promise.all([takeShadow(folder.shadows, order), searching]);
  const after = rules ? await takeShadow(folder.shadows, { ...order, rules }) : first;
  return { after, search: { ...search, ...(await ignoredAfter(world, folder, { shadow: after, base })) } };
}

interface NewState {
  readonly task: TaskName;
  readonly label: string;
  readonly shadow: Pick<Shadow, 'commit' | 'gitHash'>;
}

/** A shadow as a state that the task can be rewound to, with the number of files that differ from the state before. */
export async function recordedState(
  { ledger }: Pick<WorkWorld, 'ledger'>,
  place: ShadowPlace,
  { task, label, shadow }: NewState,
): Promise<RecordedState> {
  const { commit } = shadow;
  const before = selectLastPoint(ledger.read, task)?.commit ?? commit;
  const [gitHash, changes] = await Promise.all([shadow.gitHash(), changedFiles(place, { before, after: commit })]);
  return { label, commit, gitHash, files: countFiles(changes) };
}

/** Saves ignored files before the work; null in a worktree, where they are the agent's own. */
export async function recordIgnored(
  world: WorkWorld,
  folder: WorkFolder,
  shadow: Shadow | null,
): Promise<string | null> {
  const place = placeOf(world, folder, shadow);
  return place && (await saveIgnored(place));
}

/** Finds the ignored files that changed since a saved state. */
async function ignoredAfter(
  world: WorkWorld,
  folder: WorkFolder,
  { shadow, base }: { readonly shadow: Shadow; readonly base: string | undefined },
): Promise<IgnoredFindings> {
  const place = placeOf(world, folder, shadow);
  return place && base !== undefined ? await findIgnoredChanges(place, base) : {};
}

function placeOf(
  { dataFolder, clock }: WorkWorld,
  { repository, shadows }: WorkFolder,
  shadow: Shadow | null,
): SavedPlace | null {
  if (shadow === null || repository === null || shadows?.root !== repository.root) return null;
  const { root } = repository;
  // The work of another node lies in the data folder as a whole.
  const isUnpacked = isWithin(dataFolder, root);
  const isTheirs = (name: string) =>
    !isWithin(join(root, name.replace(/\/$/, '')), dataFolder) &&
    (isUnpacked || !isWithin(dataFolder, join(root, name))) &&
    !name.startsWith(SNAPSHOTS_FOLDER) &&
    !name.startsWith('.baton-staging-');
  const names = shadow.ignored.map((name) => name.toString('latin1')).filter(isTheirs);
  const { repositories, emptyFolders } = shadow.unrecorded ?? { repositories: [], emptyFolders: [] };
  const unrecorded = { repositories: repositories.filter(isTheirs), emptyFolders: emptyFolders.filter(isTheirs) };
  return { root, dataFolder, names, unrecorded, atMs: clock.now().wallMs };
}

/** Saves the state of git itself before the work; null without git. */
export async function recordState(world: WorkWorld, folder: WorkFolder): Promise<string | null> {
  const place = statePlace(world, folder);
  return place && (await recordGitState(place));
}

/** In a worktree the stash and the index are the agent's own: only its commits, branches and tags can be of use later. */
const USEFUL_LATER = ['head', 'branch', 'tag'];

/** Finds what the work did to git itself, and keeps the commits that the agent made. */
async function gitChangesAfter(world: WorkWorld, open: OpenOrder, folder: WorkFolder): Promise<GitChanges> {
  const { gitState: before, head: base = null } = open.execution.snapshotted ?? {};
  const place = statePlace(world, folder);
  if (place === null || folder.shadows === null || before === undefined) return {};
  const found = withRemovedLocks(open, await findGitChanges(place, before));
  if (found.gitChanges.length === 0) return found;
  const question = { base, repository: place.repository, ref: shadowRef(open.task.id, `${open.round}/commits`) };
  const ownCommits = await keepCommits(folder.shadows, question);
  const gitChanges = isWorktree(folder) ? found.gitChanges.filter(isUsefulLater) : found.gitChanges;
  return { ...found, gitChanges, ...(ownCommits && { ownCommits }) };
}

/** The search after the checks no longer sees the locks that the one after the run removed. */
function withRemovedLocks({ execution }: OpenOrder, found: FoundGitChanges): FoundGitChanges {
  const collected = execution.attempts.at(-1)?.collected?.gitChanges ?? [];
  const removed = collected.filter(({ kind }) => kind === 'removed-lock');
  return { ...found, gitChanges: [...found.gitChanges, ...removed] };
}

function isUsefulLater({ kind }: GitChange): boolean {
  return USEFUL_LATER.includes(kind);
}

/** A worktree is a repository of its own. */
function statePlace({ dataFolder }: WorkWorld, folder: WorkFolder): StatePlace | null {
  const { repository, shadows } = folder;
  if (repository === null || shadows === null) return null;
  if (!isWorktree(folder)) return { repository, dataFolder };
  const root = realpathSync(shadows.root);
  return { repository: { root, gitDir: join(root, '.git'), commonDir: join(root, '.git') }, dataFolder };
}

function isWorktree({ repository, shadows }: WorkFolder): boolean {
  return shadows?.root !== repository?.root;
}

const NOT_LOOKED_AT_MAX = 20;

type GitSearchAfter = GitSearch & GitChanges & Pick<FoundExecuted, 'rules'>;

/** Finds the changes of git itself since before the work, and new or changed files that git executes. */
export async function searchAfter(world: WorkWorld, open: OpenOrder, folder: WorkFolder): Promise<GitSearchAfter> {
  const { order, snapshotted } = open.execution;
  // The facts of an older version have nothing to compare with.
  if (snapshotted?.gitInventory === undefined) return { rules: undefined };
  const [found, changes] = await Promise.all([
    searchExecuted(searchPlaceOf(world, order, folder), snapshotted.gitInventory),
    gitChangesAfter(world, open, folder),
  ]);
  const named = (path: string) => nameInWorkspace(path, order, folder);
  const rest = found.notSeen.length - NOT_LOOKED_AT_MAX;
  return {
    executedByGit: found.executed.map(({ path, reason }) => ({ path: named(path), reason })),
    notLookedAt: [
      ...found.notSeen.slice(0, NOT_LOOKED_AT_MAX).map(named),
      ...(rest > 0 ? [`${rest} more folders`] : []),
    ],
    rules: found.rules,
    ...changes,
  };
}

/** All folders that the agent may write, and the whole repository, which it may write without a sandbox. */
export function searchPlaceOf({ dataFolder, environment }: WorkWorld, order: Order, folder: WorkFolder) {
  const { repository, shadows, mounts } = folder;
  const root = shadows?.root ?? realFolder(order);
  const shown = (path: string) => {
    const above = mounts.find(({ at }) => isWithin(at, path));
    return above ? above.from + path.slice(above.at.length) : path;
  };
  const writable = order.access.writePaths.flatMap((path) => realPathOf(path, order.workspaceRoot) ?? []);
  const folders = [root, ...writable.map((path) => shown(path.replace(/(.)\/$/, '$1')))];
  const user = { home: environment.HOME ?? null, config: environment.XDG_CONFIG_HOME ?? null };
  return { repository, root, folders, dataFolder, user, shadows };
}

/** A path as the order's workspace names it, also where the work was done in a worktree. */
export function nameInWorkspace(path: string, order: Order, { repository, shadows }: WorkFolder): string {
  const root = shadows?.root;
  const whole = repository && root && isWithin(root, path) ? repository.root + path.slice(root.length) : path;
  const workspace = realFolder(order);
  return isWithin(workspace, whole) ? relative(workspace, whole) || '.' : whole;
}

/** Hashes of the expected outputs before the work; null for an output that did not exist. */
type OutputsBefore = NonNullable<Extract<Fact, { readonly kind: 'snapshotted' }>['outputs']>;

/** Hashes the expected outputs: git may ignore them, they may be outside of its repository, or there is no git. */
export async function measureOutputs(order: Order, folder: WorkFolder): Promise<OutputsBefore> {
  const places = placesIn(order, folder);
  const paths = new Set(order.outputs.flatMap(({ path }) => path ?? []));
  return await Promise.all(
    [...paths].map(async (path) => ({ path, sha256: (await hashAt(path, places))?.sha256 ?? null })),
  );
}

/** Expected outputs that changed, without `known` files. */
export async function changedOutputs(
  { order, snapshotted }: Execution,
  folder: WorkFolder,
  known: ReadonlySet<string>,
): Promise<readonly ChangedFile[]> {
  const places = placesIn(order, folder);
  const found = await Promise.all((snapshotted?.outputs ?? []).map((output) => changeOf(output, places)));
  const placeOf = (path: string) => realPathOf(path, order.workspaceRoot) ?? wholePath(order.workspaceRoot, path);
  return found.filter((change) => change !== null).filter(({ path }) => !known.has(placeOf(path)));
}

async function changeOf(
  { path, sha256: before }: OutputsBefore[number],
  places: WorkspacePlaces,
): Promise<ChangedFile | null> {
  const after = await hashAt(path, places);
  if ((after?.sha256 ?? null) === before) return null;
  const status = before === null ? 'created' : after === null ? 'deleted' : 'updated';
  return { path, status, sha256: after?.sha256 ?? null, sizeBytes: after?.size ?? null };
}

async function hashAt(path: string, places: WorkspacePlaces): Promise<{ sha256: string; size: number } | null> {
  const place = resolveTaskPath(path, places);
  return place.kind === 'there' && place.what === 'file' ? await hashIfThere(place.realPath) : null;
}

export async function hashIfThere(path: string): Promise<{ sha256: string; size: number } | null> {
  try {
    return await hashFile(path);
  } catch (error) {
    // The file is missing or unreadable.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
