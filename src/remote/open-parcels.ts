import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import { leftWork } from '../work/left-work.ts';
import { removeWorktree } from '../workspace/worktree/remove-worktree.ts';
import { commitsOf } from './parcel/judge-work.ts';
import { makeEmptyWork } from './parcel/make-empty-work.ts';
import { packWork } from './parcel/pack-work.ts';
import type { Parcel } from './parcel/parcel.ts';
import { parcelPlace } from './parcel/parcel-place.ts';
import { repositoryName } from './parcel/record-base.ts';
import { unpackWork } from './parcel/unpack-work.ts';
import { handOut, isFolderName, unpackedFolder } from './parcel/unpacked-folder.ts';
import type { PackWorkRequest, Parcels } from './parcels.ts';
import { packResult } from './receiver/pack-result.ts';
import { type ImportParts, importResult } from './sender/import-result.ts';

export interface ParcelParts extends Omit<ImportParts, 'bytesMax'> {
  /** The size of the files of a task that travels, as it is set now. */
  bytesMax(): number;
}

/** The content of work on its way between nodes, for the ledger and the files of this one. */
export function openParcels(world: OrderWorld, parts: ParcelParts): Parcels {
  const { dataFolder, clock } = world;
  return {
    packWork: (request) => packOf(world, request, parts.bytesMax()),
    unpackWork: (request) =>
      request.parcel === null
        ? makeEmptyWork(dataFolder, request.name)
        : unpackWork({ ...request, dataFolder, bytesMax: parts.bytesMax(), atMs: clock.now().wallMs }),
    handOut: (name) => handOut(join(unpackedFolder(dataFolder), name)),
    packResult: (request) => packResult(world, request, parts.bytesMax()),
    importResult: (request) => importResult(world, request, { ...parts, bytesMax: parts.bytesMax() }),
    removeWork: (name) => removeUnpacked(dataFolder, name),
  };
}

/** The base of a task's newest round, as its order describes it. */
async function packOf(
  { dataFolder, ledger }: OrderWorld,
  { task, haves, earlier = [], blobs }: PackWorkRequest,
  bytesMax: number,
): Promise<Parcel | Refusal> {
  const work = leftWork(ledger.read, task);
  if (isRefusal(work)) return work;
  const { order } = work.execution;
  const named = { dataFolder, workspaceRoot: order.workspaceRoot, task, round: work.round };
  const repository = earlier.length > 0 ? repositoryName(parcelPlace(named).place) : null;
  const known = earlier.filter((parcel) => parcel.repository === repository).flatMap(commitsOf);
  return await packWork({
    ...named,
    uid: work.task.uid,
    inputs: order.inputs.flatMap(({ path }) => path ?? []),
    include: order.worktree.include,
    haves: [...new Set([...haves, ...known])],
    bytesMax,
    // The same whenever it is packed again.
    atMs: selectOrder(ledger.read, task)?.at ?? 0,
    blobs,
  });
}

function removeUnpacked(dataFolder: string, name: string): void {
  if (!isFolderName(name)) return;
  const folder = join(unpackedFolder(dataFolder), name);
  rmSync(`${folder}.json`, { force: true });
  removeWorktree(folder);
}
