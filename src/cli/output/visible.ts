import { withoutSequences } from '../../domain/words/control-sequences.ts';

/**
 * Characters that a terminal obeys, that change the direction of text, or that are invisible. The two joiners belong to
 * many scripts; after an ASCII letter they can only hide something.
 */
const UNSEEN =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<![^\0-\x7f])[\u200c\u200d]/gu;

/** The same without line ends and tabs. */
const UNSEEN_IN_LINES = new RegExp(`(?![\\n\\t])(?:${UNSEEN.source})`, 'gu');

/** Escapes control characters, so that text of agents cannot control the terminal. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escaped);
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** A line as a program printed it, without its colours. */
export function printedLine(text: string): string {
  return visible(withoutSequences(text));
}

/** Escapes a text of several lines without its colours; line ends and tabs stay. */
export function visibleLines(text: string): string {
  return withoutSequences(text).replaceAll('\r\n', '\n').replace(UNSEEN_IN_LINES, escaped);
}
