import { isRefusal } from '../../domain/refusal.ts';
import { LedgerFault } from '../../ledger/fault.ts';
import { selectTextOrders } from '../../ledger/statements/orders.ts';
import { liftOrders } from '../../operations/order/lift-orders.ts';
import { termsOf } from '../../orders/order-terms.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { liftRound } from '../../protocols/aop/lift-round.ts';

/** Orders of a schema-5 ledger are decided once, with the configuration of today; from then on they stay as they are. */
export async function decideOldOrders(world: OrderWorld): Promise<void> {
  const { ledger } = world;
  // The configuration is not read where there is nothing to decide.
  while (selectTextOrders(ledger.read, 1).length > 0) {
    const terms = termsOf(world, { workspace: '/' });
    const answer = await ledger.submit(
      liftOrders((round) => liftRound(round, terms)),
      {},
    );
    if (isRefusal(answer)) throw new LedgerFault('lift', answer.message, { retryable: true, code: answer.code });
  }
}
