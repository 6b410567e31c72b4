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

interface Judged {
  readonly signal: string | null;
  readonly isUnchecked: boolean;
  readonly isStopped: boolean;
}

/** The words of the terminal for a result. */
export function verdictOf({ signal, isUnchecked, isStopped }: Judged): { kind: VerdictKind; word: string } {
  if (isStopped) return { kind: 'unchecked', word: 'stopped' };
  if (signal === 'SUCCESS') return { kind: 'checked', word: 'checked' };
  if (isUnchecked) return { kind: 'unchecked', word: 'unchecked' };
  return signal === 'PARTIAL_SUCCESS' ? { kind: 'unchecked', word: 'partly done' } : { kind: 'failed', word: 'failed' };
}
