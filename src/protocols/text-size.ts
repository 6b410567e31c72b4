/** Measures the bytes in UTF-8 only where the number of UTF-16 units does not decide. */
export function isLargerThan(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * 3 > bytesMax && byteLength(text) > bytesMax;
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** A final line break belongs to the file, not to the message. */
export function withoutLineEnd(text: string): string {
  if (text.endsWith('\r\n')) return text.slice(0, -2);
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
