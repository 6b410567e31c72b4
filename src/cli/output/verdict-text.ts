import type { WorkJudgement, WorkVerdict } from '../../domain/order/work-verdict.ts';
import { type StateWord, verdictWord, WORD_TONES, type WordTone } from '../../domain/words/verdict-words.ts';
import type { Style } from './style.ts';

const PAINTS: Readonly<Record<WordTone, 'good' | 'open' | 'bad' | 'faint' | 'strong'>> = {
  good: 'good',
  open: 'open',
  bad: 'bad',
  waiting: 'faint',
  running: 'strong',
};

/** A word in its colour, filled with blanks up to a width. */
export function paintWord(word: StateWord, style: Style, width = 0): string {
  return `${style[PAINTS[WORD_TONES[word]]](word)}${' '.repeat(Math.max(0, width - word.length))}`;
}

export function verdictText(judged: WorkJudgement, style: Style): string {
  return isJudged(judged) ? paintWord(verdictWord(judged), style) : 'not over yet';
}

export function isJudged(judged: WorkJudgement): judged is WorkJudgement<WorkVerdict> {
  return judged.verdict !== null;
}
