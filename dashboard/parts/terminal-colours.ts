import Anser from 'anser';
import { visible } from '../node/safe-json.ts';

export interface ColouredPart {
  readonly content: string;
  readonly classes: string;
}

/** Codes of a terminal other than colours: titles, links, moves of the cursor, device controls. */
const OTHER_CODES =
  /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|\[[0-?]*[ -/]*[@-ln-~]|[@-Z\\-_a-z])/g;

/** A line of a terminal in parts with classes. Other codes are left out, and what deceives is shown by name. */
export function colouredParts(line: string): readonly ColouredPart[] {
  const shown = line.replace(/^.*\r(?!\n|$)/, '').replace(OTHER_CODES, '');
  if (!shown.includes('\u001b')) return [{ content: visible(shown.replace(/\r$/, '')), classes: '' }];
  return Anser.ansiToJson(shown, { use_classes: true, remove_empty: true }).map(({ content, fg, bg, decorations }) => ({
    content: visible(content.replace(/\r$/, '')),
    classes: [classOf('fg', fg), classOf('bg', bg), ...decorations.map((each) => `ansi-${each}`)]
      .filter(Boolean)
      .join(' '),
  }));
}

/** Lines of a terminal in parts with classes; a colour lasts until it is changed. */
export function colouredLines(text: string): readonly ColouredPart[] {
  return text.includes('\u001b') ? colouredParts(text) : [{ content: text, classes: '' }];
}

/** Only the sixteen named colours have a class: others are of no theme. */
function classOf(kind: 'fg' | 'bg', name: string | null): string {
  return name !== null && /^ansi-(bright-)?[a-z]+$/.test(name)
    ? `${kind} ${name.replace('ansi-', `ansi-${kind}-`)}`
    : '';
}
