import type { Order } from '../../domain/order.ts';
import { inventoryBefore } from '../../workspace/executed-by-git/search-executed.ts';
import { type ShadowOrder, takeShadow } from '../../workspace/shadow/take-shadow.ts';
import type { RunWorld } from '../run-world.ts';
import { recordState } from './git-changes.ts';
import { type GitSearchAfter, searchPlaceOf } from './git-search.ts';
import { ignoredAfter, recordIgnored } from './record-ignored.ts';
import type { WorkFolder } from './work-folder.ts';

/** Records the files, ignored ones, what git executes and git itself before the work; git does most of it meanwhile. */
export async function shadowBefore(
  world: RunWorld,
  { order, folder, signal }: { readonly order: Order; readonly folder: WorkFolder; readonly signal: AbortSignal },
  shadow: ShadowOrder,
) {
  const [before, gitInventory, gitState] = await Promise.all([
    folder.shadows && takeShadow({ ...folder.shadows, signal }, shadow),
    inventoryBefore(searchPlaceOf(world, order, folder), shadow.atMs),
    recordState(world, folder),
  ]);
  return { before, gitInventory, gitState, ignoredState: await recordIgnored(world, folder, before) };
}

/** The recording of a state after the work began. */
export interface StateAfter {
  readonly folder: WorkFolder & { readonly shadows: NonNullable<WorkFolder['shadows']> };
  readonly shadow: ShadowOrder;
  /** The saved state of ignored files to compare with. */
  readonly ignoredBase: string | undefined;
}

/** Records the files; once more by the earlier ignore rules if the work changed them, so that it hides nothing. */
export async function shadowAndSearch(world: RunWorld, state: StateAfter, searching: Promise<GitSearchAfter>) {
  const { folder, shadow: order, ignoredBase: base } = state;
  const [first, { rules, ...search }] = await Promise.all([takeShadow(folder.shadows, order), searching]);
  const after = rules ? await takeShadow(folder.shadows, { ...order, rules }) : first;
  return { after, search: { ...search, ...(await ignoredAfter(world, folder, { shadow: after, base })) } };
}
