import type { RefusalCode } from '../domain/refusal.ts';

export interface FaultFacts {
  readonly retryable: boolean;
  /** The refusal shown to the caller, for faults that the user can act on. */
  readonly code?: RefusalCode;
  readonly cause?: unknown;
}

/** The disk or the database failed: thrown where it happens, caught at the top of a loop. */
export class LedgerFault extends Error {
  readonly operation: string;
  readonly retryable: boolean;
  readonly code: RefusalCode | null;

  constructor(operation: string, message: string, { retryable, code, cause }: FaultFacts) {
    super(message, { cause });
    this.name = 'LedgerFault';
    this.operation = operation;
    this.retryable = retryable;
    this.code = code ?? null;
  }
}

const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;
const SQLITE_CORRUPT = 11;

/** The shared-memory file could not grow: a full disk while opening a ledger. */
const SQLITE_IOERR_SHMSIZE = 4874;

export function isDiskFull(error: unknown): boolean {
  return primaryCode(error) === SQLITE_FULL;
}

/** The same, including faults of the file system, errors caused by one, and a full disk while opening. */
export function isOutOfSpace(error: unknown): boolean {
  const { code, errcode, cause } = (error ?? {}) as { code?: unknown; errcode?: unknown; cause?: unknown };
  if (isDiskFull(error) || errcode === SQLITE_IOERR_SHMSIZE || code === 'ENOSPC' || code === 'storage_full')
    return true;
  return cause instanceof Error && isOutOfSpace(cause);
}

export function isCorrupt(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

function primaryCode(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : null;
}
