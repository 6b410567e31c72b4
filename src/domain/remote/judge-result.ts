import type { Execution } from '../execution/execution.ts';
import { lastRun } from '../execution/execution.ts';
import type { Outcome } from '../execution/fact.ts';
import { judgeAttempt } from '../execution/judge-attempt.ts';
import { isAccepted, type WorkVerdict } from '../order/work-verdict.ts';

/** From the strongest to the weakest. */
const STRENGTH: readonly WorkVerdict[] = ['checked', 'partial', 'unchecked', 'failed', 'aborted'];

/**
 * The outcome of work that another node did and judged: its own, unless the order here asks for more. A node may narrow what it
 * was asked for, and leave a check out; the verdict is then what its findings are worth here.
 */
export function judgeResult(execution: Execution, theirs: Outcome): Outcome {
  const attempt = lastRun(execution);
  if (!isAccepted(theirs.verdict) || attempt?.end == null) return theirs;
  const ours = outcomeOf(judgeAttempt(execution, attempt));
  return STRENGTH.indexOf(ours.verdict) > STRENGTH.indexOf(theirs.verdict) ? ours : theirs;
}

function outcomeOf(found: ReturnType<typeof judgeAttempt>): Outcome {
  switch (found.kind) {
    case 'passed':
      return { verdict: found.verdict, code: null, message: found.message, attempts: [] };
    case 'failed':
      return { verdict: found.verdict, code: found.code, message: found.message, attempts: [] };
    case 'checkpoint-failed':
      return { verdict: 'failed', code: 'unknown', message: found.message, attempts: [] };
    case 'blocked':
    case 'aborted':
      return { verdict: 'aborted', code: found.code, message: found.message, attempts: [] };
    case 'out-of-quota':
      return { verdict: 'failed', code: 'model-unavailable', message: found.message, attempts: [] };
    case 'lost':
      return { verdict: 'failed', code: 'unknown', message: 'the run was lost with its node', attempts: [] };
  }
}
