import { hashFile } from '../../checks/checked-files.ts';
import { findPlace, type WorkspacePlaces } from '../../checks/workspace-places.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import type { ChangedFile } from '../../domain/execution/findings.ts';
import type { Order } from '../../domain/order.ts';
import { wholePath } from '../../domain/path-text.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import { placesIn, type WorkFolder } from './work-folder.ts';

/** Hashes of the expected outputs before the work; null for an output that did not exist. */
export type OutputsBefore = NonNullable<Extract<Fact, { readonly kind: 'snapshotted' }>['outputs']>;

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
  const status = before === null ? 'CREATED' : after === null ? 'DELETED' : 'UPDATED';
  return { path, status, sha256: after?.sha256 ?? null, sizeBytes: after?.size ?? null };
}

async function hashAt(path: string, places: WorkspacePlaces): Promise<{ sha256: string; size: number } | null> {
  const place = findPlace(path, places);
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
