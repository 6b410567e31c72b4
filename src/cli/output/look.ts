import { hasColours, terminalColumns, wallMs } from '../../platform/terminal.ts';

/** Colours, width and present time for text that people read. */
export interface Look {
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

export function lookFor(nowMs: number, hasColours: boolean, columns = Number.POSITIVE_INFINITY): Look {
  const style = (code: number) => (text: string) =>
    hasColours && text !== '' ? `${ESCAPE}${code}m${text}${ESCAPE}0m` : text;
  return { nowMs, columns, strong: style(1), faint: style(2), bad: style(31), good: style(32), open: style(33) };
}

/** The look for a call: colours only on a terminal, and not with --json or --no-color. */
export function lookOf({ flags }: { readonly flags: Readonly<Record<string, unknown>> }): Look {
  const isForPeople = !flags.json;
  return lookFor(wallMs(), isForPeople && !flags['no-color'] && hasColours(), terminalColumns());
}
