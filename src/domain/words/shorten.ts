/** The first characters of a text, with an ellipsis after them where it was cut. */
export function shorten(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}

/** A text of at most so many code points, its ellipsis counted. */
export function shortenWithin(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  // No code point has more than two units: more of a long text need not be looked at.
  const characters = [...text.slice(0, 2 * charactersMax + 2)];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join('')}…`;
}
