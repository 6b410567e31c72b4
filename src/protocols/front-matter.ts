/** The two parts of a text with front matter; the body starts right after the line of the closing fence. */
interface FrontMatterParts {
  readonly yaml: string;
  readonly body: string;
}

// A fence is `---` alone on its line. Some tools use `---js` to name an engine; Baton has none.
const OPENING_FENCE = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING_FENCE = /(?:^|\n)---[ \t]*(?:\r?\n|$)/;

/** Null where the text does not start with a fence, or the fence is never closed. */
export function splitFrontMatter(text: string): FrontMatterParts | null {
  const opening = OPENING_FENCE.exec(text);
  if (!opening) return null;
  const rest = text.slice(opening[0].length);
  const closing = CLOSING_FENCE.exec(rest);
  if (!closing) return null;
  const yaml = rest.slice(0, closing[0].startsWith('\n') ? closing.index + 1 : closing.index);
  return { yaml, body: rest.slice(closing.index + closing[0].length) };
}

/** `yaml` must end with a line break. */
export function joinFrontMatter({ yaml, body }: FrontMatterParts): string {
  return `---\n${yaml}---\n${body}`;
}
