import type { VerdictKind } from '../../parts/verdict.tsx';

/** The state of a session or of one of its tasks, in the words of the terminal. */
export function stateOf(given: {
  readonly state: string;
  readonly final_signal: string | null;
  readonly unchecked?: boolean;
}): { readonly kind: VerdictKind; readonly word: string } {
  const { state, final_signal: signal, unchecked = false } = given;
  if (state === 'PENDING') return { kind: 'waiting', word: 'waiting' };
  if (state === 'RUNNING' || state === 'IN_PROGRESS') return { kind: 'waiting', word: 'running' };
  if (state === 'SKIPPED') return { kind: 'unchecked', word: 'skipped' };
  if (state === 'ABORTED' || signal === 'ABORTED') return { kind: 'unchecked', word: 'stopped' };
  if (signal === 'SUCCESS' && !unchecked) return { kind: 'checked', word: 'checked' };
  if (signal === 'SUCCESS' || unchecked) return { kind: 'unchecked', word: 'unchecked' };
  return signal === 'PARTIAL_SUCCESS' ? { kind: 'unchecked', word: 'partly done' } : { kind: 'failed', word: 'failed' };
}
