/**
 * What the terminal would take for an order, for a change of direction, or show as nothing at all. The two joiners
 * between letters belong to many scripts; behind an ASCII letter they can only hide something.
 */
const UNSEEN =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<![^\0-\x7f])[\u200c\u200d]/gu;

/** Text of others must not be able to write to the terminal: control characters are shown, not sent. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escaped);
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** The same for a text of several lines. */
export function visibleLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}
