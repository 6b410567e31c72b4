import type { Expects } from '../order/order.ts';

/** The result of one validation by Baton. */
export interface CheckResult {
  /** The command of a check, the path or index of an output, the id of a checkpoint. */
  readonly id: string;
  readonly kind: 'check' | 'output' | 'checkpoint';
  readonly result: 'passed' | 'failed' | 'could-not-run' | 'not-checkable';
  /** The finding as a sentence. */
  readonly message: string;
  /** The same for a list that shows the id; absent where it was not recorded. */
  readonly why?: string;
  readonly command: string | null;
  readonly exitCode: number | null;
  /** The end of its output. */
  readonly tail: string;
  readonly durationMs: number;
}

/** A finished check: its command and its result. */
export interface MadeCheck {
  readonly id: string;
  readonly kind: 'check' | 'output' | 'checkpoint';
  readonly command: string | null;
  /** The command; null if no program was started. */
  readonly argv: readonly string[] | null;
  readonly expects: Expects;
  readonly path: string | null;
  readonly result: 'passed' | 'failed' | 'could-not-run';
  /** A sentence for a person. */
  readonly reason: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdoutTail: string;
  readonly stderrTail: string;
  readonly durationMs: number;
}
