const COLOUR = /\u001b\[\d+m/g;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/gu;

/** A line for people. Words that do not fit into the terminal continue below it, so that it breaks between words. */
export interface Line {
  /** A label, sign or bar before the words. */
  readonly head: string;
  readonly words: string;
  /** Begins each line of words that did not fit. */
  readonly hang: string;
  /** Set for a command, which stays on one line so that it can be copied: the text below or beside it. */
  readonly note?: string;
}

/** By default the words that do not fit continue below the first one. */
export function line(words: string, head = '', hang = ' '.repeat(widthOf(head))): Line {
  return { head, words, hang };
}

/** A command, with a note. */
export function command(head: string, call: string, note = ''): Line {
  return { ...line(call, head), note };
}

/** A command to type next. `width` aligns the notes of several. */
export function nextLine(call: string, note = '', width = 0): Line {
  return command('next: ', call.padEnd(width), note);
}

/** Puts a head before each line. */
export function behind(head: string, lines: readonly Line[], hang = ' '.repeat(widthOf(head))): readonly Line[] {
  return lines.map((each) => ({ ...each, head: head + each.head, hang: hang + each.hang }));
}

/** Lines as text. Without a terminal (infinitely many columns) nothing is broken. */
export function foldLines(lines: readonly Line[], columns: number): string {
  return lines.map((each) => folded(each, columns)).join('\n');
}

function folded({ head, words, hang, note }: Line, columns: number): string {
  if (note !== undefined) return commandText(head + words, { hang, note, columns });
  const whole = head + words;
  // No character is wider than two columns: most lines need not be measured.
  if (whole.length * 2 <= columns || widthOf(whole) <= columns) return whole;
  const isTooDeep = widthOf(head) * 3 > columns * 2;
  return brokenAt(whole, columns, isTooDeep ? '' : hang);
}

interface CommandNote {
  readonly hang: string;
  readonly note: string;
  readonly columns: number;
}

function commandText(command: string, { hang, note, columns }: CommandNote): string {
  const beside = `${command}  ${note}`;
  if (note === '') return command.trimEnd();
  return widthOf(beside) <= columns ? beside : `${command.trimEnd()}\n${hang}${note}`;
}

/** A word longer than a line is left to the terminal, so that it can be copied whole. */
function brokenAt(text: string, columns: number, hang: string): string {
  const lines: string[] = [];
  let present = '';
  for (const word of text.split(/(?<=\S)(?= )/)) {
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
