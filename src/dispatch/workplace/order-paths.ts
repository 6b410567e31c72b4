import { join, relative } from 'node:path';
import type { Order } from '../../domain/order.ts';
import { isWithin, wholePath } from '../../domain/path-text.ts';
import type { Repository } from '../../domain/repository.ts';
import { realPathOf, resolvePath } from '../../workspace/resolve-path.ts';
import type { SnapshotHome } from '../../workspace/snapshot/snapshot-home.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import type { WorkFolder } from './work-folder.ts';

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
  world: RunWorld,
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
