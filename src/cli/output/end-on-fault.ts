import { jsonLine } from '../../domain/words/json-line.ts';
import { explainFault } from '../explain-fault.ts';
import { refusalValue, tellRefusal } from './print.ts';

/** Exits after the ledger failed under a running command: memory may differ from the disk. */
export function endOnFault(fault: unknown, json: boolean): never {
  const { refusal, code, exitCode } = explainFault(fault);
  tellRefusal(refusal);
  if (json) process.stdout.write(`${jsonLine(refusalValue(refusal, code))}\n`);
  process.exit(exitCode);
}
