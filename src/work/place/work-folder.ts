import { existsSync, lstatSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Grant } from '../../agents/sandbox/sandbox.ts';
import type { WorkspacePlaces } from '../../checks/workspace-places.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { Workplace } from '../../domain/execution/findings.ts';
import type { ExpectedOutput, Order } from '../../domain/order/order.ts';
import { isWithin, wholePath } from '../../domain/work/path-text.ts';
import { holdsHome } from '../../domain/work/private-places.ts';
import type { Repository } from '../../domain/work/repository.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import type { DataFolders } from '../../platform/files/find-data-folders.ts';
import { homeFolders } from '../../platform/files/home-folders.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import { realPathOf, resolvePath } from '../../workspace/resolve-path.ts';
import { objectsOf, type ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import type { SnapshotHome } from '../../workspace/snapshot/snapshot-home.ts';
import { userIdentity } from '../../workspace/user-identity.ts';
import { OBJECTS_SHOWN_AT } from '../../workspace/worktree/make-worktree.ts';
import type { WorkWorld } from '../work-world.ts';

/** The folders and mounts of an order's work. */
export interface WorkFolder {
  /** The repository of the workspace; null without git. */
  readonly repository: Repository | null;
  /** The folder whose files are recorded as shadow commits; null without git. */
  readonly shadows: ShadowPlace | null;
  /** Folders that the sandbox shows to the agent at another path, and those of them that it may read. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
  readonly readPaths: readonly string[];
  /** Read-only although a write path contains them. */
  readonly readOnlyPaths?: readonly string[];
}

interface FolderQuestion {
  readonly order: ShownOrder;
  readonly workplace: Workplace;
  readonly dataFolder: string;
  /** The commit of the worktree. */
  readonly head?: string | null;
  /** As recorded before the work; undefined searches for it. */
  readonly repository?: Repository | null | undefined;
}

/** The work folder of an order that has started. */
export function folderOfExecution(
  { order, snapshotted }: Pick<Execution, 'order' | 'snapshotted'>,
  dataFolder: string,
) {
  const { workplace = { kind: 'in-place' }, head = null, repository } = snapshotted ?? {};
  return workFolderOf({ order, workplace, dataFolder, head, repository });
}

export function workFolderOf(question: FolderQuestion): WorkFolder {
  const { order, workplace, dataFolder, head = null } = question;
  const repository = question.repository === undefined ? findRepository(order.workspaceRoot) : question.repository;
  if (repository === null) return { repository, shadows: null, mounts: [], readPaths: [] };
  const shadows = shadowsOf({ workplace, dataFolder, head, repository });
  const around = foldersAround(order, repository);
  if (workplace.kind === 'in-place') {
    return { repository, shadows, mounts: [], readPaths: [...around, ...gitFolderOutside(order, repository)] };
  }
  const shared = sharedMounts(workplace, repository);
  // The inner ones come first: a path is looked for in the first mount that has it.
  const mounts = [
    ...shared,
    { from: workplace.folder, at: repository.root },
    { from: objectsOf(repository), at: OBJECTS_SHOWN_AT },
  ];
  const readPaths = [OBJECTS_SHOWN_AT, ...around];
  return { repository, shadows, mounts, readPaths, readOnlyPaths: shared.map(({ at }) => at) };
}

type ShownOrder = Pick<Order, 'workspaceRoot'> & Partial<Pick<Order, 'isInWords' | 'access'>>;

/**
 * The repository around a workspace that is one of its folders, for reading: packages of a monorepo need the modules and
 * settings above them, and git its folder. A TASK names what it reads; a home is never shown for a repository that it is.
 */
export function foldersAround({ workspaceRoot, isInWords }: ShownOrder, { root }: Repository): readonly string[] {
  const isInside = (realPathOf(workspaceRoot, '/') ?? root) !== root;
  return isInside && isInWords && !holdsHome(root, homeFolders()) ? [root] : [];
}

/** The git folder of a linked worktree or a submodule, for reading, where the whole of its files is granted. */
export function gitFolderOutside(order: ShownOrder, { root, commonDir, gitDir }: Repository): readonly string[] {
  const { readPaths = [], writePaths = [] } = order.access ?? {};
  const real = [...readPaths, ...writePaths].flatMap((path) => realPathOf(path, order.workspaceRoot) ?? []);
  const isShown = order.isInWords || real.some((path) => isWithin(path, root));
  const outside = [...new Set([commonDir, gitDir])].filter((path) => !isWithin(root, path));
  return isShown && !outside.some((path) => holdsHome(path, homeFolders())) ? outside : [];
}

/** Dependencies of the user's checkout that the worktree shows; those that were removed since are left out. */
function sharedMounts({ shared = [] }: { readonly shared?: readonly string[] }, { root }: Repository) {
  const folders = shared.map((path) => join(root, path));
  return folders
    .filter((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
    .map((folder) => ({ from: folder, at: folder }));
}

/** The folder of a workplace whose files are recorded as shadow commits. */
export function shadowsOf({
  workplace,
  dataFolder,
  head = null,
  repository,
}: Omit<FolderQuestion, 'order'> & { readonly repository: Repository }): ShadowPlace {
  const kept = { repository, keptFolder: join(dataFolder, 'shadows'), dataFolder };
  if (workplace.kind === 'in-place') return { ...kept, root: repository.root };
  return { ...kept, root: workplace.folder, ...(head !== null && { head }) };
}

/** Maps the paths that the agent of an order uses to files of this machine. */
export function placesOf(world: WorkWorld, execution: Execution): WorkspacePlaces {
  return placesIn(execution.order, folderOfExecution(execution, world.dataFolder));
}

/** Checks may read every path that the order grants for reading or writing. */
export function placesIn({ workspaceRoot, access }: Order, { mounts }: WorkFolder): WorkspacePlaces {
  return { workspaceRoot, readPaths: [...access.readPaths, ...access.writePaths], mounts };
}

/** Makes a path of git relative to the workspace, which may be below the root of the repository. */
export function pathFromWorkspace(path: string, order: Order, { repository }: WorkFolder): string {
  if (repository === null) return path;
  const workspace = realPathOf(order.workspaceRoot, '/') ?? order.workspaceRoot;
  const whole = join(repository.root, path);
  const name = isWithin(workspace, whole) ? relative(workspace, whole) : whole;
  return nameOfOutput(name, whole, order) ?? name;
}

/** Makes a path of the workspace, or a whole one, relative to the root of the repository. */
export function pathFromRoot(path: string, order: Order, { repository }: WorkFolder): string {
  const whole = wholePath(realFolder(order), path);
  return repository !== null && isWithin(repository.root, whole) ? relative(repository.root, whole) : path;
}

/** The path of the workspace from the root of its repository; empty for the root. */
export function workspaceInRepository(order: Order, repository: Repository | null | undefined): string {
  const folder = realFolder(order);
  return repository && isWithin(repository.root, folder) ? relative(repository.root, folder) : '';
}

/** The path of an output as the order names it, if that path contains a link. */
function nameOfOutput(name: string, realPath: string, order: Order): string | null {
  const paths = order.outputs.flatMap(({ path }) => path ?? []);
  const isNamed = (path: string) => wholePath(order.workspaceRoot, path) === wholePath(order.workspaceRoot, name);
  if (paths.some(isNamed)) return null;
  return paths.find((path) => realPathOf(path, order.workspaceRoot) === realPath) ?? null;
}

/** The folders for the snapshots of a task's outputs. */
export function snapshotHome(
  world: WorkWorld,
  { task, execution }: OpenOrder,
  { shadows, repository }: WorkFolder,
): SnapshotHome {
  const workspaceRoot = realFolder(execution.order);
  const isMoved = shadows !== null && repository !== null && shadows.root !== repository.root;
  const root = isMoved ? join(shadows.root, workspaceRoot.slice(repository.root.length)) : workspaceRoot;
  const snapshotsFolder = join(world.dataFolder, 'snapshots', task.id);
  return { task: task.id, workspaceRoot, root, snapshotsFolder, place: shadows };
}

/** The real path of the workspace. */
export function realFolder({ workspaceRoot }: Order): string {
  const place = resolvePath(workspaceRoot, '/');
  return place.kind === 'there' ? place.realPath : workspaceRoot;
}

interface GrantNeeds {
  readonly order: Pick<Order, 'access' | 'workspaceRoot'>;
  readonly folder: WorkFolder;
  /** The data folders in a list of folders, and everything else of Baton that no agent may see. */
  foldersToHide(roots: readonly string[]): Promise<DataFolders>;
  /** Paths that the driver needs in addition to the order's. */
  readonly readPaths: readonly string[];
  /** All writable paths, as real paths. */
  readonly writePaths: readonly string[];
  /** Hosts that are reachable under RESTRICTED. */
  readonly hosts: readonly string[];
  readonly loopbackPorts?: readonly number[];
  readonly memoryBytesMax: number | null;
}

/** The grant of an order's process, in real paths of this machine. */
export async function grantOfOrder(needs: GrantNeeds): Promise<Grant> {
  const { access, workspaceRoot } = needs.order;
  // Admission refused dangling paths; a path that was removed since then grants nothing.
  const real = (paths: readonly string[]) => paths.flatMap((path) => realPathOf(path, workspaceRoot) ?? []);
  const readPaths = [...real(access.readPaths), ...needs.folder.readPaths, ...needs.readPaths];
  const shown = [...readPaths, ...needs.writePaths.map((path) => path.replace(/\/$/, ''))];
  const [{ folders }, gitIdentity] = await Promise.all([
    needs.foldersToHide(shown),
    needs.folder.repository && userIdentity(needs.folder.repository),
  ]);
  return {
    readPaths,
    writePaths: needs.writePaths,
    readOnlyPaths: [...real(access.readOnlyPaths), ...(needs.folder.readOnlyPaths ?? [])],
    mounts: needs.folder.mounts,
    hiddenPaths: folders,
    gitIdentity,
    ...(needs.memoryBytesMax !== null && { memoryBytesMax: needs.memoryBytesMax }),
    network: { level: access.network, hosts: needs.hosts, loopbackPorts: needs.loopbackPorts ?? [] },
  };
}

type WritableOrder = Pick<Order, 'access' | 'workspaceRoot' | 'outputs' | 'phases'>;

/** Writable paths of an agent. A missing path that will be a folder ends in a slash. */
export function pathsToWrite(order: WritableOrder): readonly string[] {
  return order.access.writePaths.flatMap((path) => {
    const place = resolvePath(path, order.workspaceRoot);
    if (place.kind !== 'there' && place.kind !== 'missing') return [];
    const isFolder = place.kind === 'there' ? place.what === 'folder' : isFolderToBe(path, place.realPath, order);
    return [isFolder ? `${place.realPath}/` : place.realPath];
  });
}

/** Writable paths of a check. A check may write existing paths only: it must not create an output. */
export function pathsToCheck(order: WritableOrder, { mounts }: Pick<WorkFolder, 'mounts'>): readonly string[] {
  return order.access.writePaths.flatMap((path) => {
    const realPath = realPathOf(path, order.workspaceRoot);
    if (realPath === null) return [];
    const above = mounts.find(({ at }) => isWithin(at, realPath));
    const actualPath = above ? above.from + realPath.slice(above.at.length) : realPath;
    return existsSync(actualPath) ? [realPath] : [];
  });
}

/** Whether a missing path will be a folder: by the expected outputs, else by whether its name has an extension. */
function isFolderToBe(path: string, realPath: string, order: WritableOrder): boolean {
  const expected = [...order.outputs, ...order.phases.flatMap(({ checkpoints }) => checkpoints.flatMap(artifactsOf))];
  const places = expected.map((one) => ({
    type: one.type,
    realPath: realPathOf(one.path ?? '', order.workspaceRoot) ?? '',
  }));
  if (path.endsWith('/') || places.some((one) => one.realPath !== realPath && isWithin(realPath, one.realPath))) {
    return true;
  }
  const named = places.find((one) => one.realPath === realPath);
  return named ? named.type === 'DIRECTORY' : !/[^.]\.[^.]+$/.test(basename(realPath));
}

function artifactsOf({ artifacts }: { readonly artifacts: readonly ExpectedOutput[] }): readonly ExpectedOutput[] {
  return artifacts;
}
