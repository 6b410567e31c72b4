import { type Signal, signal } from '@preact/signals';
import type { LogPage } from '../../../../src/api/order/order-contract.ts';
import { call } from '../../../node/call-node.ts';

export interface LogLine {
  readonly id: number;
  /** With the codes of a terminal. */
  readonly text: string;
}

/** Larger than any log: the last page. */
const BEHIND_THE_END = 999_999_999_999_999;
/** A line of a program that never ends one is cut here. */
const LINE_CHARACTERS_MAX = 20_000;
/** Lines that are kept; earlier ones are read again on demand. */
const LINES_MAX = 200_000;

/** The lines of the agents' programs, from the end on; earlier ones on demand. */
export class RawLog {
  readonly lines: Signal<readonly LogLine[] | null> = signal(null);
  readonly hasEarlier = signal(false);
  readonly error: Signal<unknown> = signal(null);
  readonly #task: string;
  #start = 0;
  #next = 0;
  #firstId = 0;
  #isReading = false;

  constructor(task: string) {
    this.#task = task;
  }

  /** The last page. */
  begin(): Promise<void> {
    return this.#reading(async () => {
      const page = await this.#page({ before: BEHIND_THE_END });
      this.#start = page.start;
      this.#next = page.next;
      this.hasEarlier.value = page.start > 0;
      this.lines.value = linesOf(page.text, this.#firstId);
    });
  }

  earlier(): Promise<void> {
    return this.#reading(async () => {
      const page = await this.#page({ before: this.#start });
      const texts = page.text.replace(/\n$/, '').split('\n');
      this.#start = page.start;
      this.#firstId -= texts.length;
      this.hasEarlier.value = page.start > 0;
      this.lines.value = [...linesOf(page.text, this.#firstId), ...(this.lines.value ?? [])].slice(0, LINES_MAX);
    });
  }

  /** Everything that was printed since. */
  more(): Promise<void> {
    return this.#reading(async () => {
      for (let page = await this.#page({ after: this.#next }); page.next > this.#next; ) {
        this.#next = page.next;
        const before = this.lines.value ?? [];
        const id = (before.at(-1)?.id ?? -1) + 1;
        this.lines.value = [...before, ...linesOf(page.text, id)].slice(-LINES_MAX);
        page = await this.#page({ after: this.#next });
      }
    });
  }

  #page(place: { readonly before: number } | { readonly after: number }): Promise<LogPage> {
    return call('readLog', { task: this.#task, raw: true, ...place }, { hasControls: true });
  }

  async #reading(work: () => Promise<void>): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await work();
      this.error.value = null;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.#isReading = false;
    }
  }
}

function linesOf(text: string, firstId: number): readonly LogLine[] {
  if (text === '') return [];
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, at) => ({ id: firstId + at, text: line.slice(0, LINE_CHARACTERS_MAX) }));
}
