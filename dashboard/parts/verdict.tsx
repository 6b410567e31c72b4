import { type StateWord, verdictWord, WORD_TONES, type WordTone } from '../../src/domain/words/verdict-words.ts';

/** The six shapes, each with its word: never told apart by colour alone. */
export type VerdictKind = 'checked' | 'unchecked' | 'failed' | 'waiting' | 'needs-you' | 'stale';

const SHAPES: Readonly<Record<VerdictKind, string>> = {
  checked: '✓',
  unchecked: '○',
  failed: '✗',
  waiting: '◷',
  'needs-you': '▲',
  stale: '~',
};

/** A shape and a word; the word may be another one than the usual. */
export function Verdict({ kind, word }: { readonly kind: VerdictKind; readonly word?: string }) {
  return (
    <span class={`verdict ${kind}`}>
      <span class="shape" aria-hidden="true">
        {SHAPES[kind]}
      </span>{' '}
      {word ?? kind.replace('-', ' ')}
    </span>
  );
}

/** The shape alone, beside text that says it; readers of the screen hear the word. */
export function Shape({ kind }: { readonly kind: VerdictKind }) {
  return (
    <span class={`verdict ${kind}`}>
      <span class="shape" aria-hidden="true">
        {SHAPES[kind]}
      </span>
      <span class="unseen">{kind.replace('-', ' ')}</span>
    </span>
  );
}

const KINDS: Readonly<Record<WordTone, VerdictKind>> = {
  good: 'checked',
  open: 'unchecked',
  bad: 'failed',
  waiting: 'waiting',
  running: 'waiting',
};

export interface ShownWord {
  readonly kind: VerdictKind;
  readonly word: StateWord;
}

/** The word of the terminal, with its shape. */
export function shownWord(word: StateWord): ShownWord {
  return { kind: KINDS[WORD_TONES[word]], word };
}

export function verdictOf(judged: Parameters<typeof verdictWord>[0]): ShownWord {
  return shownWord(verdictWord(judged));
}
