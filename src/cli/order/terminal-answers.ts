import type { EventView } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import { onStopSignal } from '../../platform/process/own-process.ts';
import { type AskFresh, askFresh, isInteractive, wallMs } from '../../platform/terminal.ts';
import { systemTimer } from '../../platform/timer.ts';
import type { Call } from '../command.ts';
import { printWarning } from '../output/print.ts';
import { durationText } from '../output/time-text.ts';
import type { OrderNode } from './order-node.ts';

interface TerminalParts {
  readonly client: Pick<NodeClient, 'answerQuestion'>;
  readonly ask: AskFresh;
  settle(): Promise<void>;
  /** Ctrl-C at the prompt. */
  onInterrupt(): void;
}

interface OpenQuestion {
  readonly question: string;
  readonly options: readonly string[];
  readonly default: string;
  readonly deadlineAt: string | null;
}

/** The questions of a run, asked one after the other at its terminal. Elsewhere they can be answered all the same. */
export class TerminalAnswers {
  readonly #parts: TerminalParts;
  readonly #waiting: OpenQuestion[] = [];
  #shown: { readonly question: string; readonly prompt: AbortController } | null = null;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
  }

  /** Takes an event of the run. */
  take({ type, payload }: EventView): void {
    if (type === 'question.asked') {
      this.#waiting.push(payload as unknown as OpenQuestion);
      void this.#next();
    }
    if (type === 'question.answered') this.#drop(payload.question as string);
  }

  close(): void {
    this.#waiting.length = 0;
    this.#shown?.prompt.abort();
  }

  /** It was answered, here or elsewhere. */
  #drop(question: string): void {
    const at = this.#waiting.findIndex((each) => each.question === question);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (this.#shown?.question === question) this.#shown.prompt.abort();
  }

  async #next(): Promise<void> {
    const [first] = this.#waiting;
    if (this.#shown !== null || !first) return;
    const prompt = new AbortController();
    this.#shown = { question: first.question, prompt };
    // Output that the agent printed before it asked is shown first.
    await this.#parts.settle();
    const line = await this.#parts.ask(promptOf(first), prompt.signal);
    this.#shown = null;
    if (!prompt.signal.aborted) {
      const at = this.#waiting.indexOf(first);
      if (at >= 0) this.#waiting.splice(at, 1);
      if (line === null) this.#parts.onInterrupt();
      else
        await this.#parts.client.answerQuestion({
          task: first.question,
          answer: optionOf(first, line),
          from: 'terminal',
        });
    }
    await this.#next();
  }
}

const OUTPUT_MS = 300;

interface AttendedRun {
  readonly task: string;
  readonly node: Pick<OrderNode, 'client' | 'isOurs'>;
  /** Ends what is under way: the run, or the review of its work. */
  stop(): Promise<unknown>;
}

/** Ctrl-C stops the run, and a person at its terminal is asked its questions. */
export function attendRun(call: Call, attended: AttendedRun): Pick<TerminalAnswers, 'take' | 'close'> {
  const { client } = attended.node;
  const stop = () => void attended.stop();
  const forgetSignals = stopOnSignal(attended, stop);
  if (!isInteractive() || call.flags.json) return { take: () => {}, close: forgetSignals };
  const settle = () => systemTimer().pause(OUTPUT_MS);
  const answers = new TerminalAnswers({ client, ask: askFresh, settle, onInterrupt: stop });
  return {
    take: (event) => answers.take(event),
    close() {
      answers.close();
      forgetSignals();
    },
  };
}

function promptOf({ options, default: fallback, deadlineAt }: OpenQuestion): string {
  const leftMs = deadlineAt === null ? null : Math.max(0, Date.parse(deadlineAt) - wallMs());
  return `answer ${options.join(' or ')} (${fallback}${leftMs === null ? '' : ` in ${durationText(leftMs)}`}): `;
}

/** Anything but an option, or the letters that begin one option only, is the default. */
function optionOf({ options, default: fallback }: OpenQuestion, line: string): string {
  const typed = line.trim().toLowerCase();
  const meant = typed === '' ? [] : options.filter((option) => option.startsWith(typed));
  return meant.length === 1 && meant[0] !== undefined ? meant[0] : fallback;
}

const EXIT_STOPPED = 130;

/** Ctrl-C stops the run of a task; a second Ctrl-C exits at once. Returns a function that removes the handler. */
function stopOnSignal({ task, node }: AttendedRun, stop: () => void): () => void {
  let isAsked = false;
  return onStopSignal(() => {
    if (isAsked) leave(task, node.isOurs);
    isAsked = true;
    printWarning(`stopping ${task}; press Ctrl-C again to exit at once`);
    stop();
  });
}

/** Processes of this node end with it, and the next command settles the order. Another node continues to end its agent. */
function leave(task: string, isOurs: boolean): never {
  const ended = `${task} was ended at once; its work so far stays in the files: baton task show ${task}`;
  const ending = `the node is still ending the agent of ${task}: baton stop ${task} waits for it`;
  printWarning(isOurs ? ended : ending);
  process.exit(EXIT_STOPPED);
}
