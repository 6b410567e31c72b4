/** For a list or a heading, where a line break would end the item. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
