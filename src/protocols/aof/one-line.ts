/** Text that must not start a line of its own in a file where each line means something. */
export function oneLine(text: string): string {
  return text.replace(/[\n\v\f\r\x85\u2028\u2029]+/g, ' ');
}
