import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { LedgerFault } from '../ledger/fault.ts';

/** Throws if a command of the start was refused, as on a full disk. */
export function assertDone(answer: object | Refusal): void {
  if (isRefusal(answer)) throw new LedgerFault('open', answer.message, { retryable: true, code: answer.code });
}
