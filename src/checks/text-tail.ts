const CONTINUES = 0b1000_0000;
const CONTINUES_MASK = 0b1100_0000;

/** The last of a text, in at most so many bytes of UTF-8, without half a character at its beginning. */
export function tailOf(text: string, bytesMax: number): string {
  // Three bytes are the most that one unit of a string takes.
  const bytes = Buffer.from(text.slice(-bytesMax), 'utf8');
  let from = Math.max(0, bytes.length - bytesMax);
  while (from < bytes.length && from > 0 && ((bytes[from] ?? 0) & CONTINUES_MASK) === CONTINUES) from++;
  return bytes.subarray(from).toString('utf8');
}
