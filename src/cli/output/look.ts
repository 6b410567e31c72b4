import { hasColours, terminalColumns, wallMs } from '../../platform/terminal.ts';

/** How a value is shown to a person: colours where they are wanted, and the time it is shown at. */
export interface Look {
  readonly nowMs: number;
  /** How many letters fit into a line. */
  readonly columns: number;
  /** What the eye should find first. */
  strong(text: string): string;
  /** What may be overlooked. */
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  /** What waits for somebody. */
  open(text: string): string;
}

const ESCAPE = '\u001b[';

export function lookFor(nowMs: number, hasColours: boolean, columns = Number.POSITIVE_INFINITY): Look {
  const style = (code: number) => (text: string) =>
    hasColours && text !== '' ? `${ESCAPE}${code}m${text}${ESCAPE}0m` : text;
  return { nowMs, columns, strong: style(1), faint: style(2), bad: style(31), good: style(32), open: style(33) };
}

/** How the answer to a call is shown: colours and a width only where somebody looks at a terminal. */
export function lookOf({ flags }: { readonly flags: Readonly<Record<string, unknown>> }): Look {
  const isForPeople = !flags.json;
  return lookFor(wallMs(), isForPeople && !flags['no-color'] && hasColours(), terminalColumns());
}
