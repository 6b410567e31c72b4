import type { Ledger } from '../../../ledger/ledger.ts';

/** The ledger, as far as a door needs it: it reads, and it is told of commits. */
export type EventSource = Pick<Ledger, 'read' | 'onCommitted'>;
