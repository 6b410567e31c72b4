import type { OrderReport } from '../../api/order-contract.ts';

const EXIT_STOPPED = 130;

/** product.md: 0 SUCCESS · 1 FAILURE · 3 PARTIAL_SUCCESS or unchecked · 4 ABORTED · 130 stopped by you. */
export function exitCodeOf({ signal, isStopped }: Pick<OrderReport, 'signal' | 'isStopped'>): number {
  if (isStopped) return EXIT_STOPPED;
  switch (signal) {
    case 'SUCCESS':
      return 0;
    case 'PARTIAL_SUCCESS':
      return 3;
    case 'ABORTED':
      return 4;
    default:
      return 1;
  }
}
