import { BATCH_LINES_AT_ONCE_MAX } from '../domain/limits.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { callOfLine, tasksOf } from './batch-line.ts';
import { hintForApi } from './call-hint.ts';
import type { BatchAnswer, BatchLine } from './contract.ts';
import { type Calls, callNamed } from './node-client.ts';

interface Started {
  readonly done: Promise<void>;
  answer: BatchAnswer | null;
}

/**
 * Makes the calls of a batch and yields their answers in the order of the lines, in groups as they get ready. Lines
 * about different tasks are made at once, so that one commit holds many; lines about the same task keep their order.
 */
export async function* runBatch(
  client: Calls,
  lines: Iterable<BatchLine> | AsyncIterable<BatchLine>,
): AsyncGenerator<readonly BatchAnswer[]> {
  const waiting: Started[] = [];
  const order = new TaskOrder();
  for await (const line of lines) {
    waiting.push(start(client, line, order));
    if (waiting.length >= BATCH_LINES_AT_ONCE_MAX) yield await nextGroup(waiting);
  }
  while (waiting.length > 0) yield await nextGroup(waiting);
}

/** Waits for the first answer and takes those after it that are ready. */
async function nextGroup(waiting: Started[]): Promise<readonly BatchAnswer[]> {
  await waiting[0]?.done;
  const unready = waiting.findIndex(({ answer }) => answer === null);
  const ready = waiting.splice(0, unready === -1 ? waiting.length : unready);
  return ready.flatMap(({ answer }) => answer ?? []);
}

function start(client: Calls, line: BatchLine, order: TaskOrder): Started {
  const call = callOfLine(line);
  if (isRefusal(call)) return { done: Promise.resolve(), answer: errorOf(call) };
  const make = () => callNamed(client, call.name)(call.request, line.key === undefined ? {} : { key: line.key });
  const started: Started = {
    done: order.after(tasksOf(call), make).then((answer) => {
      started.answer = isRefusal(answer) ? errorOf(answer) : { answer };
    }),
    answer: null,
  };
  return started;
}

function errorOf({ kind: _kind, ...error }: Refusal): BatchAnswer {
  return { error: { ...error, hint: hintForApi(error) } };
}

/** Lets calls about the same task run one after the other. */
class TaskOrder {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #running = new Set<Promise<unknown>>();
  #barrier: Promise<unknown> = Promise.resolve();
  #hasBarrier = false;

  after<Answer>(tasks: readonly string[] | null, make: () => Promise<Answer>): Promise<Answer> {
    const before = tasks === null ? [...this.#running] : this.#before(tasks);
    const done = before.length === 0 ? make() : Promise.allSettled(before).then(make);
    this.#running.add(done);
    if (tasks === null) {
      this.#barrier = done;
      this.#hasBarrier = true;
    }
    for (const task of tasks ?? []) this.#last.set(task, done);
    const forget = () => {
      this.#running.delete(done);
      if (this.#barrier === done) this.#hasBarrier = false;
      for (const task of tasks ?? []) if (this.#last.get(task) === done) this.#last.delete(task);
    };
    done.then(forget, forget);
    return done;
  }

  #before(tasks: readonly string[]): Promise<unknown>[] {
    const earlier = tasks.flatMap((task) => this.#last.get(task) ?? []);
    return this.#hasBarrier ? [this.#barrier, ...earlier] : earlier;
  }
}
