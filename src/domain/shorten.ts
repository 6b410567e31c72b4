/** A text of at most so many characters, with an ellipsis where it was cut. */
export function shorten(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}
