import { STATES, type StateSignal, verdictOfSignal } from '../order/record-words.ts';
import type { WorkJudgement, WorkVerdict } from '../order/work-verdict.ts';

// One table for the terminal and the dashboard. It has no imports of the outside: browsers run it too.

/** A verdict in words for people. An aborted order has its cause as its word, where there is one. */
export type VerdictWord = WorkVerdict | 'stopped' | 'skipped';

/** The state of a session, or of one of its tasks, in words for people. */
export type StateWord = VerdictWord | 'waiting' | 'running' | 'stopping' | 'interrupted';

/** How a word is shown: colours of the terminal and shapes of the dashboard follow from it. */
export type WordTone = 'good' | 'open' | 'bad' | 'waiting' | 'running';

export const WORD_TONES: Readonly<Record<StateWord, WordTone>> = {
  checked: 'good',
  unchecked: 'open',
  partial: 'open',
  failed: 'bad',
  aborted: 'bad',
  stopped: 'open',
  skipped: 'open',
  waiting: 'waiting',
  running: 'running',
  stopping: 'open',
  interrupted: 'open',
};

export function verdictWord({ verdict, isSkipped, stoppedBy }: WorkJudgement<WorkVerdict>): VerdictWord {
  if (verdict !== 'aborted') return verdict;
  if (isSkipped) return 'skipped';
  return stoppedBy === null ? verdict : 'stopped';
}

export interface JudgedState extends Pick<WorkJudgement, 'verdict' | 'stoppedBy'> {
  readonly state: StateSignal;
  /** A session that no node runs. */
  readonly isInterrupted?: boolean;
}

/** An open session has a stopper as soon as it was asked to stop; a task of one only once it is over. */
export function stateWord({ state, verdict, stoppedBy, isInterrupted = false }: JudgedState): StateWord {
  if (verdict !== null) return verdictWord({ verdict, isSkipped: state === STATES.skipped, stoppedBy });
  if (isInterrupted) return 'interrupted';
  if (state === STATES.waiting) return 'waiting';
  return stoppedBy === null ? 'running' : 'stopping';
}

/** The word for `order.settled`, whose words are those of the record; null for one that this Baton does not know. */
export function settledWord(payload: Readonly<Record<string, unknown>>): VerdictWord | null {
  const verdict = verdictOfSignal(payload.signal, payload.isUnchecked === true);
  const stoppedBy = typeof payload.stoppedBy === 'string' ? payload.stoppedBy : null;
  return verdict && verdictWord({ verdict, isSkipped: payload.isSkipped === true, stoppedBy });
}
