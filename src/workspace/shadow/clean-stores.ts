import { join } from 'node:path';
import { type KeptStore, keptStores } from './kept-folders.ts';
import { storedNames } from './object-store.ts';
import { type PruneRequest, type PruneResult, pruneStore } from './prune-store.ts';

export type Stores = readonly KeptStore[];

/** Every store of shadow commits in a data folder. */
export function storesIn(dataFolder: string): Stores {
  return keptStores(join(dataFolder, 'shadows'));
}

/** Every name of a shadow commit, such as refs/baton/TASK/1/before. */
export function refsIn(stores: Stores): readonly string[] {
  return stores.flatMap(({ store }) => storedNames(store)).map(({ ref }) => ref);
}

export async function pruneStores(stores: Stores, rule: Pick<PruneRequest, 'isKept' | 'isDry'>): Promise<PruneResult> {
  const pruned = { names: 0, objects: 0, bytes: 0 };
  for (const { store, trees } of stores) {
    const from = await pruneStore(store, { ...rule, trees });
    pruned.names += from.names;
    pruned.objects += from.objects;
    pruned.bytes += from.bytes;
  }
  return pruned;
}
