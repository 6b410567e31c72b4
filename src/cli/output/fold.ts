/** The label of a line; words that do not fit continue below the first word after it. */
const BEFORE_WORDS = /^(?: {8}│ | {8}| {2}│ | {2}-.{26}| {2}\S+ +|[a-z]+ [a-z]+ {2}|[a-z]+:? +)/;
const COLOUR = /\u001b\[\d+m/g;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/gu;

/** Breaks lines between words instead of letting the terminal break them anywhere. */
export function fold(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY) return text;
  return text
    .split('\n')
    .map((line) => foldLine(line, columns))
    .join('\n');
}

/** A command to type next, which stays on one line so that it can be copied; its meaning may stand below it. */
const COMMAND = /^(next: \S.*?)(?: {2,}(\S.*))?$/s;

function foldLine(line: string, columns: number): string {
  // No character is wider than two columns: most lines need not be measured.
  if (line.length * 2 <= columns || widthOf(line) <= columns) return line;
  const [, command, meaning] = COMMAND.exec(line) ?? [];
  if (command !== undefined) return meaning === undefined ? command : `${command}\n      ${meaning}`;
  const plain = line.replace(COLOUR, '');
  const head = BEFORE_WORDS.exec(plain)?.[0] ?? '';
  const isBar = head.endsWith('│ ');
  const hang = widthOf(head) * 3 > columns * 2 ? '' : isBar ? head : ' '.repeat(widthOf(head));
  return brokenAt(line, columns, hang);
}

/** A word longer than a line is left to the terminal, so that it can be copied whole. */
function brokenAt(line: string, columns: number, hang: string): string {
  const lines: string[] = [];
  let present = '';
  for (const word of line.split(/(?<=\S)(?= )/)) {
    const isFull = widthOf(present) + widthOf(word) > columns && widthOf(present.trimStart()) > 0;
    if (isFull && widthOf(present) > widthOf(hang)) {
      lines.push(present);
      present = hang + word.trimStart();
    } else present += word;
  }
  return [...lines, present].join('\n');
}

/** The number of terminal columns of a text, without its colours. */
export function widthOf(text: string): number {
  const plain = text.replace(COLOUR, '');
  return [...plain].length + (plain.match(WIDE)?.length ?? 0);
}

/** A line at least this long was broken for its width, not at the end of a paragraph. */
const BROKEN_AT_MIN = 95;

/** Refills the paragraphs of help for a terminal narrower than they were written for. */
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
