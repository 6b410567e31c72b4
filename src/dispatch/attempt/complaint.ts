import { withoutSequences } from '../../domain/words/control-sequences.ts';

const COMPLAINS =
  /\b(?:error|fatal|panic(?:ked)?|exception|failed|cannot|could not|not found|denied|not valid|invalid)\b/i;
const FRAME = /^at \S/;
/** A shorter line that ends with a colon is a headline, and the next one says what is wrong. */
const HEADLINE_CHARACTERS_MAX = 60;
const COMPLAINT_CHARACTERS_MAX = 200;
/** A program says early in a line what is wrong. */
const SEARCHED_CHARACTERS_MAX = 4_096;

/** The last line of a program's output that says what is wrong, after one more line; null before the first. */
export function complaintAfter(before: string | null, text: string): string | null {
  const line = withoutSequences(text.slice(0, SEARCHED_CHARACTERS_MAX)).trim();
  if (line === '') return before;
  if (before?.endsWith(':') && before.length < HEADLINE_CHARACTERS_MAX) return cut(`${before} ${line}`);
  return COMPLAINS.test(line) && !FRAME.test(line) ? cut(line) : before;
}

function cut(text: string): string {
  return text.slice(0, COMPLAINT_CHARACTERS_MAX);
}
