import type { SessionLine, SessionTaskView } from '../../../src/api/session/session-contract.ts';
import { stateWord } from '../../../src/domain/words/verdict-words.ts';
import { type ShownWord, shownWord } from '../../parts/verdict.tsx';

export function stateOfSession({ state, verdict, stopped, is_interrupted: isInterrupted }: SessionLine): ShownWord {
  return shownWord(stateWord({ state, verdict, stoppedBy: stopped?.by ?? null, isInterrupted }));
}

export function stateOfMember({ state, verdict, stopped_by }: SessionTaskView): ShownWord {
  return shownWord(stateWord({ state, verdict, stoppedBy: stopped_by }));
}
