import type { RefusalCode } from '../domain/refusal.ts';

export interface FaultFacts {
  readonly retryable: boolean;
  /** How the caller is told, where the outside can do something about it. */
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

/** The file that all connections share could not grow: how a full disk shows when a ledger is opened. */
const SQLITE_IOERR_SHMSIZE = 4874;

export function isDiskFull(error: unknown): boolean {
  return primaryCode(error) === SQLITE_FULL;
}

/** The same for a fault of the file system, for one that was caused by it, and for an open that found no room. */
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
