import type { CheckResult } from '../domain/decisions/judge-expectation.ts';
import type { PlannedCheck } from '../domain/decisions/plan-verification.ts';

/** A check, and what came of it. */
export interface MadeCheck extends PlannedCheck {
  /** What was run; null where no program was started. */
  readonly argv: readonly string[] | null;
  readonly result: CheckResult;
  /** A sentence for a person. */
  readonly reason: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdoutTail: string;
  readonly stderrTail: string;
  readonly durationMs: number;
}
