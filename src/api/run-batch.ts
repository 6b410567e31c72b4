import { BATCH_LINES_AT_ONCE_MAX } from '../domain/http-limits.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { callOfLine, tasksOf } from './batch-line.ts';
import { hintForApi } from './call-hint.ts';
import type { BatchAnswer, BatchLine } from './contract.ts';
import { type Calls, callNamed } from './node-client.ts';

/** A line whose call is made, or waits for those before it. */
interface PendingLine {
  /** As `tasksOf` gives them. */
  readonly tasks: readonly string[] | null;
  done: Promise<void>;
  /** Null until `done`. */
  answer: BatchAnswer | null;
}

const NO_KEY = {};

/**
 * Makes the calls of a batch and yields their answers in the order of the lines, in groups as they get ready. Lines
 * about different tasks are made at once, so that one commit holds many; lines about the same task keep their order.
 */
export async function* runBatch(
  client: Calls,
  lines: Iterable<BatchLine> | AsyncIterable<BatchLine>,
): AsyncGenerator<readonly BatchAnswer[]> {
  const batch = new RunningBatch(client);
  // An await for each line of a list would cost as much as reading it.
  if (Symbol.iterator in lines) {
    for (const line of lines) {
      batch.start(line);
      if (batch.isFull) yield await batch.nextGroup();
    }
  } else {
    for await (const line of lines) {
      batch.start(line);
      if (batch.isFull) yield await batch.nextGroup();
    }
  }
  while (!batch.isEmpty) yield await batch.nextGroup();
}

class RunningBatch {
  readonly #client: Calls;
  /** In the order of the lines. */
  #waiting: PendingLine[] = [];
  /** The last line about each task that is not answered yet. */
  readonly #last = new Map<string, PendingLine>();
  /** The last line that is about any task. */
  #barrier: PendingLine | null = null;

  constructor(client: Calls) {
    this.#client = client;
  }

  get isFull(): boolean {
    return this.#waiting.length >= BATCH_LINES_AT_ONCE_MAX;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  start(line: BatchLine): void {
    const call = callOfLine(line);
    if (isRefusal(call)) {
      this.#waiting.push({ tasks: [], done: Promise.resolve(), answer: errorOf(call) });
      return;
    }
    const make = () =>
      callNamed(this.#client, call.name)(call.request, line.key === undefined ? NO_KEY : { key: line.key });
    const started: PendingLine = { tasks: tasksOf(call), done: Promise.resolve(), answer: null };
    const before = this.#before(started.tasks);
    const made = before.length === 0 ? make() : Promise.allSettled(before.map(({ done }) => done)).then(make);
    started.done = made.then((answer) => {
      started.answer = isRefusal(answer) ? errorOf(answer) : { answer };
    });
    this.#waiting.push(started);
    if (started.tasks === null) this.#barrier = started;
    else for (const task of started.tasks) this.#last.set(task, started);
  }

  /** Waits for the first answer and takes those after it that are ready. */
  async nextGroup(): Promise<readonly BatchAnswer[]> {
    await this.#waiting[0]?.done;
    const answers: BatchAnswer[] = [];
    for (const started of this.#waiting) {
      if (started.answer === null) break;
      answers.push(started.answer);
      for (const task of started.tasks ?? []) if (this.#last.get(task) === started) this.#last.delete(task);
    }
    this.#waiting = this.#waiting.slice(answers.length);
    return answers;
  }

  /** The unanswered lines that a call waits for, because they are about one of its tasks or may be. */
  #before(tasks: readonly string[] | null): readonly PendingLine[] {
    if (tasks === null) return this.#waiting.filter(isUnanswered);
    const before: PendingLine[] = [];
    if (this.#barrier !== null && isUnanswered(this.#barrier)) before.push(this.#barrier);
    for (const task of tasks) {
      const last = this.#last.get(task);
      if (last !== undefined && isUnanswered(last)) before.push(last);
    }
    return before;
  }
}

function isUnanswered({ answer }: PendingLine): boolean {
  return answer === null;
}

function errorOf({ kind: _kind, ...error }: Refusal): BatchAnswer {
  return { error: { ...error, hint: hintForApi(error) } };
}
