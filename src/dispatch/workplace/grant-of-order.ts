import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Grant } from '../../agents/sandbox/sandbox.ts';
import type { ExpectedOutput, Order } from '../../domain/order.ts';
import { isWithin } from '../../domain/path-text.ts';
import { realPathOf, resolvePath } from '../../workspace/resolve-path.ts';
import type { WorkFolder } from './work-folder.ts';

export interface GrantNeeds {
  readonly order: Pick<Order, 'access' | 'workspaceRoot'>;
  readonly folder: WorkFolder;
  readonly dataFolder: string;
  /** What the driver needs beside what the order grants. */
  readonly readPaths: readonly string[];
  /** All that may be written, real. */
  readonly writePaths: readonly string[];
  /** Reached under RESTRICTED. */
  readonly hosts: readonly string[];
  readonly loopbackPorts?: readonly number[];
  readonly memoryBytesMax: number | null;
}

/** What the process of an order may touch, by the real paths of this machine. */
export function grantOfOrder(needs: GrantNeeds): Grant {
  const { access, workspaceRoot } = needs.order;
  // A path that leads nowhere was refused at admission; one that is gone since grants nothing.
  const real = (paths: readonly string[]) => paths.flatMap((path) => realPathOf(path, workspaceRoot) ?? []);
  return {
    readPaths: [...real(access.readPaths), ...needs.folder.readPaths, ...needs.readPaths],
    writePaths: needs.writePaths,
    readOnlyPaths: real(access.readOnlyPaths),
    mounts: needs.folder.mounts,
    hiddenPaths: [needs.dataFolder],
    ...(needs.memoryBytesMax !== null && { memoryBytesMax: needs.memoryBytesMax }),
    network: { level: access.network, hosts: needs.hosts, loopbackPorts: needs.loopbackPorts ?? [] },
  };
}

export type WritableOrder = Pick<Order, 'access' | 'workspaceRoot' | 'outputs' | 'phases'>;

/** What an agent may write: what is not there yet ends in a slash where it is to be a folder. */
export function pathsToWrite(order: WritableOrder): readonly string[] {
  return order.access.writePaths.flatMap((path) => {
    const place = resolvePath(path, order.workspaceRoot);
    if (place.kind !== 'there' && place.kind !== 'missing') return [];
    const isFolder = place.kind === 'there' ? place.what === 'folder' : isFolderToBe(path, place.realPath, order);
    return [isFolder ? `${place.realPath}/` : place.realPath];
  });
}

/** What a check may write: only what is there, for nothing must come to be by its being checked. */
export function pathsToCheck(order: WritableOrder, { mounts }: Pick<WorkFolder, 'mounts'>): readonly string[] {
  return order.access.writePaths.flatMap((path) => {
    const realPath = realPathOf(path, order.workspaceRoot);
    if (realPath === null) return [];
    const above = mounts.find(({ at }) => isWithin(at, realPath));
    const inTruth = above ? above.from + realPath.slice(above.at.length) : realPath;
    return existsSync(inTruth) ? [realPath] : [];
  });
}

/** By what is expected of it: a file of that name, or something below it; else by whether it is named like a file. */
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
