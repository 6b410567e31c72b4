import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Grant } from '../../agents/sandbox/sandbox.ts';
import type { ExpectedOutput, Order } from '../../domain/order.ts';
import { isWithin } from '../../domain/path-text.ts';
import type { DataFolders } from '../../platform/find-data-folders.ts';
import { realPathOf, resolvePath } from '../../workspace/resolve-path.ts';
import { userIdentity } from '../../workspace/user-identity.ts';
import type { WorkFolder } from './work-folder.ts';

export interface GrantNeeds {
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
  const { folders } = await needs.foldersToHide([
    ...readPaths,
    ...needs.writePaths.map((path) => path.replace(/\/$/, '')),
  ]);
  return {
    readPaths,
    writePaths: needs.writePaths,
    readOnlyPaths: [...real(access.readOnlyPaths), ...(needs.folder.readOnlyPaths ?? [])],
    mounts: needs.folder.mounts,
    hiddenPaths: folders,
    gitIdentity: needs.folder.repository && (await userIdentity(needs.folder.repository)),
    ...(needs.memoryBytesMax !== null && { memoryBytesMax: needs.memoryBytesMax }),
    network: { level: access.network, hosts: needs.hosts, loopbackPorts: needs.loopbackPorts ?? [] },
  };
}

export type WritableOrder = Pick<Order, 'access' | 'workspaceRoot' | 'outputs' | 'phases'>;

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
