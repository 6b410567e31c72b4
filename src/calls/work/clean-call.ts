import type { CleanAnswer } from '../../api/contract.ts';
import type { ShapeOf } from '../../api/schemas.ts';
import { CLEAN_DAYS_DEFAULT, DAY_MS } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { hasOpenOrders, selectOrder } from '../../ledger/statements/orders.ts';
import { selectNamedStates } from '../../ledger/statements/run-facts.ts';
import { recordClean } from '../../operations/order/record-clean.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { sweepParcels } from '../../remote/parcel/sweep-parcels.ts';
import { cleanWork } from '../../work/clean.ts';
import { leftWork } from '../../work/left-work.ts';

/** Removes saved work that nobody needs any more. */
export async function cleanCall(world: OrderWorld, request: ShapeOf<'CleanRequest'>): Promise<CleanAnswer | Refusal> {
  const { olderThanDays = CLEAN_DAYS_DEFAULT, dryRun = false } = request;
  const { read } = world.ledger;
  const cleaned = await cleanWork({
    dataFolder: world.dataFolder,
    nowMs: world.clock.now().wallMs,
    undoMs: olderThanDays * DAY_MS,
    isDry: dryRun,
    sweepParcels,
    ledger: {
      workOf: (task) => {
        const work = leftWork(read, task);
        return isRefusal(work) ? null : { ...work, isOpen: selectOrder(read, work.task.id)?.isOpen ?? false };
      },
      namedStates: () => selectNamedStates(read),
      hasOpenOrders: () => hasOpenOrders(read),
      record: (tasks) => world.ledger.submit(recordClean, { tasks }),
    },
  });
  if (isRefusal(cleaned)) return cleaned;
  if (!dryRun) world.log.log('work.cleaned', { ...cleaned, tasks: cleaned.tasks.length });
  return { dryRun, olderThanDays, ...cleaned };
}
