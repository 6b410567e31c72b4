import type { EndedFact } from '../dispatch/attempt/attempt.ts';
import { assertNever } from '../domain/assert-never.ts';

export interface DescribedEnd {
  /** The provider ended in order: what it said is to blame. */
  readonly isFinished: boolean;
  /** Another try may end otherwise. */
  readonly isRepeatable: boolean;
  /** Why there is no answer, for the requester. */
  readonly text: string;
}

/** Failures that another try would meet again, or that have cost their whole time already. */
const LASTING: ReadonlySet<string> = new Set([
  'E_TIMEOUT',
  'E_AGENT_NOT_FOUND',
  'E_PERMISSION_DENIED',
  'E_COST_LIMIT_EXCEEDED',
  'E_MODEL_UNAVAILABLE',
]);

/** The end of a provider's process that left no Response Object. */
export function describeEnd({ end }: Pick<EndedFact, 'end'>, agent: string): DescribedEnd {
  switch (end.kind) {
    case 'finished':
      return { isFinished: true, isRepeatable: true, text: '' };
    case 'failed': {
      const isRepeatable = !LASTING.has(end.code) && end.isNotStarted !== true;
      return { isFinished: false, isRepeatable, text: `${agent} failed: ${end.message}` };
    }
    case 'out-of-quota': {
      const until = new Date(end.until).toISOString();
      return {
        isFinished: false,
        isRepeatable: false,
        text: `${agent} is out of quota until ${until}: ${end.message}`,
      };
    }
    case 'stopped':
      return { isFinished: false, isRepeatable: false, text: `${agent} was stopped by ${end.by}` };
    case 'lost':
      return { isFinished: false, isRepeatable: false, text: `${agent} was stopped with its node` };
    default:
      return assertNever(end);
  }
}
