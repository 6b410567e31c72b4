import type { CheckResult } from '../execution/check-result.ts';
import type { Checkpoint, Order } from '../order/order.ts';

export interface PairedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** The result of its verification; null where it was not verified. */
  readonly found: CheckResult | null;
}

/** Each checkpoint with its own result, in the order of the phases; the order distinguishes equal ids. */
export function pairCheckpoints({ phases }: Order, results: readonly CheckResult[]): readonly PairedCheckpoint[] {
  const open = results.filter(({ kind }) => kind === 'checkpoint');
  return phases
    .flatMap(({ checkpoints }) => checkpoints)
    .map((checkpoint) => {
      const at = open.findIndex(({ id }) => id === checkpoint.id);
      return { checkpoint, found: at === -1 ? null : (open.splice(at, 1)[0] ?? null) };
    });
}
