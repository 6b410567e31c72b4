import { signal } from '@preact/signals';
import { colouredLines } from './terminal-colours.ts';

/** The texts that a person opened, by their keys: a row that leaves the page and comes back is as it was. */
const opened = signal<ReadonlySet<string>>(new Set());

export function isOpened(key: string): boolean {
  return opened.value.has(key);
}

export function toggle(key: string): void {
  const next = new Set(opened.value);
  if (!next.delete(key)) next.add(key);
  opened.value = next;
}

interface LongTextProps {
  readonly id: string;
  readonly text: string;
  /** Lines that are shown before it is opened. */
  readonly lines: number;
  /** The end of it is what matters, as of output. */
  readonly end?: boolean;
  /** Output of a program: in its colours. */
  readonly isMono?: boolean;
}

/** Characters of a line that are shown before it is opened. */
const LINE_MAX = 400;

/** A text of which a few lines are shown, and the rest on demand. */
export function LongText({ id, text, lines, end = false, isMono = false }: LongTextProps) {
  const all = text.split('\n');
  const isOpen = isOpened(id);
  const isLong = all.length > lines || all.some((line) => line.length > LINE_MAX);
  const part = end ? all.slice(-lines) : all.slice(0, lines);
  const shown = isOpen
    ? text
    : part.map((line) => (line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line)).join('\n');
  const hidden = all.length - part.length;
  const button = isLong && (
    <button type="button" class="more-text" aria-expanded={isOpen} onClick={() => toggle(id)}>
      {isOpen ? 'less' : hidden > 0 ? `${hidden} more ${hidden === 1 ? 'line' : 'lines'}` : 'more'}
    </button>
  );
  return (
    <div class={`long-text ${isMono ? 'mono' : ''}`}>
      {end && button}
      <div class="text">{isMono ? <Coloured text={shown} /> : shown}</div>
      {!end && button}
    </div>
  );
}

function Coloured({ text }: { readonly text: string }) {
  const parts = colouredLines(text);
  if (parts.length === 1 && parts[0]?.classes === '') return <>{parts[0].content}</>;
  return (
    <>
      {parts.map(({ content, classes }, at) => (
        <span key={at} class={classes}>
          {content}
        </span>
      ))}
    </>
  );
}
