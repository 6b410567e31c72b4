/** A text without the characters of a set at its end. An expression would try every place of a long run of them. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A text without the characters of a set at its beginning and its end. */
export function withoutEdges(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start++;
  return withoutEnd(text.slice(start), characters);
}
