import type { Fact } from '../../domain/execution/fact.ts';
import { ORDERS_LIFTED_PER_COMMIT_MAX } from '../../domain/limits.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { markDecided, selectTextOrders, type UndecidedOrder } from '../../ledger/statements/orders.ts';
import { replaceFacts, selectFactRows } from '../../ledger/statements/run-facts.ts';

/** A round of schema 5: its text and settings, and its facts as they were written. */
export interface OldRound extends Pick<UndecidedOrder, 'text' | 'settings' | 'at'> {
  readonly facts: readonly { readonly fact: object; readonly at: number }[];
}

/** The facts of today for an old round, its order first. */
export type LiftRound = (round: OldRound) => readonly Fact[];

/** Stores the decided order of old rounds, at most ORDERS_LIFTED_PER_COMMIT_MAX of them. */
export const liftOrders =
  (lift: LiftRound): Command<object, { readonly lifted: number; readonly events: readonly [] }> =>
  (tx) => {
    const undecided = selectTextOrders(tx, ORDERS_LIFTED_PER_COMMIT_MAX);
    for (const row of undecided) {
      const facts = selectFactRows(tx, row);
      replaceFacts(tx, row, lift({ ...row, facts }));
      markDecided(tx, row);
    }
    return { lifted: undecided.length, events: [] };
  };
