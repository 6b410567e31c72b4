import type { OrderReport } from '../../api/order-contract.ts';
import type { Look } from './look.ts';
import { visible } from './visible.ts';

/** What became of a task's order, in short: the whole of it is its RESPONSE. */
export function orderView({
  isOver,
  signal,
  isUnchecked,
  isStopped,
  changed,
  checks,
  receipt,
  workplace,
}: OrderReport) {
  return { isOver, signal, isUnchecked, isStopped, changed, checks, receipt, workplace };
}

type OrderView = ReturnType<typeof orderView>;

/** The page of a task with what its agents did; a receipt whose files changed since says so. */
export function withWork(page: string, order: OrderView | null, look: Look): string {
  if (order === null) return page;
  const files = order.changed.length === 1 ? '1 file changed' : `${order.changed.length} files changed`;
  const lines = [`  ${verdictOf(order, look)}; ${files}`, ...receiptLines(order, look)];
  return [page, '', look.strong('Work'), ...lines].join('\n');
}

function verdictOf({ isOver, signal, isUnchecked, isStopped }: OrderView, look: Look): string {
  if (!isOver) return 'under way';
  if (isStopped) return look.open('stopped');
  if (signal === 'SUCCESS') return look.good('checked');
  if (isUnchecked) return look.open('unchecked');
  return signal === 'PARTIAL_SUCCESS' ? look.open('done in part') : look.bad('failed');
}

function receiptLines({ receipt }: OrderView, look: Look): readonly string[] {
  if (receipt === null) return [];
  const { staleFiles } = receipt;
  const stale =
    staleFiles.length === 0 ? '' : look.open(` (stale: ${staleFiles.map(visible).join(', ')} changed since)`);
  return [`  receipt ${visible(receipt.file)}${stale}`];
}
