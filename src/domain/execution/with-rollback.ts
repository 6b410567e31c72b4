import { recordCode } from '../failure-code.ts';
import type { Fact, Outcome } from './fact.ts';

/** The outcome after a rollback: a file that could not be restored outweighs the failure before it. */
export function withRollback(outcome: Outcome, { files }: Extract<Fact, { readonly kind: 'rolled-back' }>): Outcome {
  const failed = files.filter(({ status }) => status === 'failed').map(({ path }) => path);
  if (failed.length === 0) return outcome;
  const before = outcome.code === null ? outcome.message : `${recordCode(outcome.code)}: ${outcome.message}`;
  return {
    ...outcome,
    code: 'rollback-failed',
    message: `could not put back ${failed.join(', ')}; before that: ${before}`,
  };
}
