import { fold } from './fold.ts';

/** A line of a paragraph that is as long as this was broken for its width alone. */
const BROKEN_AT_MIN = 95;

/** Help for a terminal that is narrower than it was written for: paragraphs are broken anew. */
export function foldHelp(text: string, columns: number): string {
  const isWide = text.split('\n').every((line) => line.length <= columns);
  return isWide ? text : fold(joined(text), columns);
}

function joined(text: string): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const last = lines.at(-1) ?? '';
    const goesOn = last.length >= BROKEN_AT_MIN && !last.startsWith(' ') && line !== '' && !line.startsWith(' ');
    if (goesOn) lines.push(`${lines.pop()} ${line}`);
    else lines.push(line);
  }
  return lines.join('\n');
}
