import { hasColours, terminalColumns, wallMs } from '../../platform/terminal.ts';

/** Colours, width and present time for text that people read. */
export interface Style {
  readonly nowMs: number;
  /** Width of the terminal in characters. */
  readonly columns: number;
  /** Bold. */
  strong(text: string): string;
  /** Dimmed. */
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  /** Needs attention. */
  open(text: string): string;
}

const ESCAPE = '\u001b[';

export function styleFor(nowMs: number, hasColours: boolean, columns = Number.POSITIVE_INFINITY): Style {
  const paint = (code: number) => (text: string) =>
    hasColours && text !== '' ? `${ESCAPE}${code}m${text}${ESCAPE}0m` : text;
  return { nowMs, columns, strong: paint(1), faint: paint(2), bad: paint(31), good: paint(32), open: paint(33) };
}

/** The style of a call: colours only on a terminal, and not with --json or --no-color. */
export function styleOf({ flags }: { readonly flags: Readonly<Record<string, unknown>> }): Style {
  const isForPeople = !flags.json;
  return styleFor(wallMs(), isForPeople && !flags['no-color'] && hasColours(), terminalColumns());
}
