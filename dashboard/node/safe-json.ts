/**
 * Characters that change how other text looks, or that nobody sees: controls but tab and line feed, marks of direction, and
 * invisible ones. Agents and files write them; a page shows them by name.
 */
const DECEPTIVE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** The same in JSON text, escaped or not. */
const MAY_DECEIVE = new RegExp(`${DECEPTIVE.source}|\\\\u|\\\\[bfr]`, 'u');

/** A colour or a style of a terminal. */
const COLOURS = /\u001b\[[0-9;:]*m/g;
/** The part of a line that a terminal wrote over, as progress bars do. */
const OVERWRITTEN = /(^|\n)[^\n]*\r(?=[^\n])/g;
/** Fields that hold output of programs: their colours are kept, for a part of the page that shows them. */
const OUTPUT_FIELDS: ReadonlySet<string> = new Set(['result', 'tail', 'observation', 'line']);

/** The text without the colours of a terminal. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, '');
}

/** The text with every deceptive character replaced by its name. A line end of another system is a line end. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(DECEPTIVE, (found) => `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** Parses JSON of the node. Every string of it, wherever it comes from, can be shown as it is; output keeps its colours. */
export function readSafeJson(text: string): unknown {
  if (!MAY_DECEIVE.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    return OUTPUT_FIELDS.has(key) ? visibleBesideColours(value) : visible(withoutColours(value));
  });
}

function visibleBesideColours(text: string): string {
  const shown = text.replace(OVERWRITTEN, '$1');
  const colours = shown.match(COLOURS) ?? [];
  return shown
    .split(COLOURS)
    .map((part, at) => visible(part) + (colours[at] ?? ''))
    .join('');
}
