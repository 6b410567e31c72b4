/** The lines of a text as one, without the blanks around them and without empty lines. */
export function inOneLine(text: string, between = ' '): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(between);
}
