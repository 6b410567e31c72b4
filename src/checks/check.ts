import type { CheckResult } from '../domain/decisions/judge-expectation.ts';
import type { Expects } from '../domain/order.ts';

export type CheckKind = 'check' | 'output' | 'checkpoint';

/** Something that Baton itself finds out about the work. */
export interface Check {
  /** The same before and after a run, and no other check's. */
  readonly id: string;
  readonly kind: CheckKind;
  readonly command?: string | null;
  readonly expects: Expects;
  /** The file of FILE_EXISTS; without it the command is read as a path. */
  readonly path?: string | null;
}

export interface MadeCheck {
  readonly id: string;
  readonly kind: CheckKind;
  readonly command: string | null;
  /** What was run; null where no program was started. */
  readonly argv: readonly string[] | null;
  readonly expects: Expects;
  readonly path: string | null;
  readonly result: CheckResult;
  /** A sentence for a person. */
  readonly reason: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdoutTail: string;
  readonly stderrTail: string;
  readonly durationMs: number;
}
