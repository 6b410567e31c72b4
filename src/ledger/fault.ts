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

export function isDiskFull(error: unknown): boolean {
  return primaryCode(error) === SQLITE_FULL;
}

export function isCorrupt(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

function primaryCode(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : null;
}
