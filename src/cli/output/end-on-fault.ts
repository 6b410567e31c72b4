import { explainFault } from '../explain-fault.ts';
import { refusalValue, tellRefusal } from './print.ts';

/** The ledger failed under a running command: what memory holds may differ from the disk, so the process ends here. */
export function endOnFault(fault: unknown, json: boolean): never {
  const { refusal, code, exitCode } = explainFault(fault);
  tellRefusal(refusal);
  if (json) process.stdout.write(`${JSON.stringify(refusalValue(refusal, code))}\n`);
  process.exit(exitCode);
}
