import { NodeFault } from '../api/node-fault.ts';
import { ConfigFault } from '../config/config-fault.ts';
import { REFUSALS, type RefusalCode } from '../domain/refusal.ts';
import { isCorrupt, isOutOfSpace, LedgerFault } from '../ledger/fault.ts';
import { FolderFault } from '../platform/files/data-folder.ts';
import { KeyFault } from '../platform/key-fault.ts';
import { WorkspaceFault } from '../workspace/workspace-fault.ts';
import type { PrintedRefusal } from './command.ts';

export interface ExplainedFault {
  readonly refusal: PrintedRefusal;
  readonly code: string;
  readonly exitCode: 1 | 2;
}

/** Turns a fault (disk, network, process) into a refusal with a hint. Rethrows bugs. */
export function explainFault(error: unknown): ExplainedFault {
  if (error instanceof FolderFault) {
    return { refusal: { message: error.message, hint: error.hint }, code: error.code, exitCode: 2 };
  }
  if (error instanceof KeyFault) {
    return { refusal: { message: error.message, hint: error.hint }, code: 'key_unusable', exitCode: 2 };
  }
  if (error instanceof ConfigFault) return configFault(error);
  if (error instanceof NodeFault) return nodeFault(error);
  if (isOutOfSpace(error)) return notDone('storage_full', 'the disk is full');
  if (error instanceof LedgerFault && error.code !== null) return notDone(error.code, sentence(error));
  if (causesOf(error).some(isCorrupt)) return notDone('ledger_damaged', 'the ledger is damaged; it was not changed');
  if (error instanceof LedgerFault) {
    const hint = 'run the command again: nothing was stored';
    return { refusal: { message: `the ledger failed: ${sentence(error)}`, hint }, code: 'ledger_failed', exitCode: 1 };
  }
  if (error instanceof WorkspaceFault) return notDone('workspace_failed', error.message);
  if (systemCode(error) === undefined) throw error;
  return notDone('ledger_unusable', (error as Error).message);
}

function configFault({ message, problems, hint }: ConfigFault): ExplainedFault {
  const [first, ...others] = problems;
  const details = others.map((problem) => problem.message);
  return { refusal: { message, hint, path: first?.path ?? '', details }, code: 'invalid_config', exitCode: 2 };
}

/** The node may have executed the call before the connection broke; repeated with the same key, it takes effect once. */
function nodeFault({ message, retryable }: NodeFault): ExplainedFault {
  const hint = retryable ? 'run the command again; with --key KEY nothing is done twice' : 'baton doctor';
  return { refusal: { message, hint }, code: 'node_failed', exitCode: 1 };
}

function notDone(code: RefusalCode, message: string): ExplainedFault {
  return { refusal: { message, hint: REFUSALS[code].hint }, code, exitCode: 2 };
}

function sentence(fault: LedgerFault): string {
  const { cause } = fault;
  return cause instanceof Error ? `${fault.message} (${cause.message})` : fault.message;
}

/** The error and what caused it, outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 10; cause = cause.cause) causes.push(cause);
  return causes;
}

/** The error code of the operating system, such as ENOSPC or EACCES. */
function systemCode(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? undefined : code;
}
