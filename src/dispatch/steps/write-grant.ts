import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { ExpectedOutput, Order } from '../../domain/order.ts';
import { isWithin } from '../../domain/path-text.ts';
import { realPathOf, resolvePath } from '../../workspace/resolve-path.ts';
import type { WorkFolder } from '../work-folder.ts';

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
