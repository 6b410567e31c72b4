const WIDTH = 'started'.length;

/** The word that a line begins with; what follows stands in one column. */
export function label(word: string, paint: (text: string) => string): string {
  return `${paint(word)}${' '.repeat(Math.max(0, WIDTH - word.length))} `;
}

/** A line that goes on with what the one above it began. */
export function below(text: string): string {
  return `${' '.repeat(WIDTH)} ${text}`;
}
