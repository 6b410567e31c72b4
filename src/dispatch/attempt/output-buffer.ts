import type { PrintedLine } from '../../domain/trace/trace.ts';
import {
  PRINTED_CHARACTERS_PER_RECORD_MAX,
  PRINTED_CHARACTERS_PER_RUN_MAX,
  PRINTED_LINE_CHARACTERS_MAX,
  PRINTED_LINES_PER_RECORD_MAX,
  PRINTED_LINES_PER_RUN_MAX,
} from '../../domain/trace/trace-limits.ts';

/** Lines of a run's output that are not in the ledger yet: enough for one record, and no more in a run than its bounds. */
export class OutputBuffer {
  #lines: PrintedLine[] = [];
  #characters = 0;
  readonly #task: string;
  #linesLeft = PRINTED_LINES_PER_RUN_MAX;
  #charactersLeft = PRINTED_CHARACTERS_PER_RUN_MAX;

  constructor(task: string) {
    this.#task = task;
  }

  /** `text` is masked. An empty line makes no event (saop:strings). */
  add(text: string, at: number): void {
    if (text === '' || this.#linesLeft <= 0) return;
    const shown = cut(text);
    this.#linesLeft--;
    this.#charactersLeft -= shown.length;
    if (this.#charactersLeft <= 0) this.#linesLeft = 0;
    this.#push({ text: shown, isMasked: shown.includes('[REDACTED:'), at });
    if (this.#linesLeft > 0) return;
    this.#push({ text: `[more output is in the log: baton logs ${this.#task}]`, isMasked: false, at });
  }

  get isFull(): boolean {
    return this.#lines.length >= PRINTED_LINES_PER_RECORD_MAX || this.#characters >= PRINTED_CHARACTERS_PER_RECORD_MAX;
  }

  take(): readonly PrintedLine[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#characters = 0;
    return lines;
  }

  #push(line: PrintedLine): void {
    this.#lines.push(line);
    this.#characters += line.text.length;
  }
}

function cut(text: string): string {
  if (text.length <= PRINTED_LINE_CHARACTERS_MAX) return text;
  return `${text.slice(0, PRINTED_LINE_CHARACTERS_MAX)}… [cut: ${text.length} characters]`;
}
