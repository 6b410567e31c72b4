import { BATCH_LINES_AT_ONCE_MAX } from '../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { explainIssue } from '../protocols/explain-issue.ts';
import { pointer } from '../protocols/issue.ts';
import { isJsonObject, readJson } from '../protocols/json-text.ts';
import { hintForApi } from './call-hint.ts';
import { ANSWERED_NAMES, type AnsweredName, factsOf } from './calls.ts';
import type { BatchAnswer, BatchLine } from './contract.ts';
import { refuseKey } from './idempotency-key.ts';
import { type Calls, callNamed } from './node-client.ts';
import { readFields } from './read-fields.ts';
import { SCHEMAS } from './schemas.ts';

interface Started {
  readonly done: Promise<void>;
  answer: BatchAnswer | null;
}

const LINE_HINT = 'a line is one JSON object: {"call":"NAME","request":{…},"key":"KEY"}';
const NAMES: ReadonlySet<string> = new Set(ANSWERED_NAMES);
const LASTING = /^(TASK-\d{4}-\d{2}-\d{2}-\d{3}|tsk_\S+)$/;
const NAME_IN_TEXT = /TASK-\d{4}-\d{2}-\d{2}-\d{3}/;
/** The fields of requests that refer to tasks. */
const TASK_FIELDS = ['task', 'parent', 'dependsOn', 'on'];

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
  const call = readLine(line);
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

interface ReadLine {
  readonly name: AnsweredName;
  readonly request: object;
}

/** A line comes from outside: nothing of its form is taken for granted. */
function readLine(line: BatchLine): ReadLine | Refusal {
  if (line instanceof UnreadableLine) return line.refusal;
  if (typeof line !== 'object' || line === null) return refuseLine();
  const shaped = readFields(line, SCHEMAS.BatchLine);
  if (isRefusal(shaped)) return shaped;
  const { call, request = {}, key } = shaped;
  const wrongKey = key === undefined ? null : refuseKey(key, 'key', '/key');
  if (wrongKey) return wrongKey;
  if (!NAMES.has(call)) return refuse('invalid_argument', `there is no call ${JSON.stringify(call)}`, '/call');
  const name = call as AnsweredName;
  const fields = readFields(request, SCHEMAS[factsOf(name).request]);
  if (isRefusal(fields)) return { ...fields, path: `/request${fields.path}` };
  return { name, request: fields };
}

/** Stands for a line that its door could not read; a line from outside cannot look like one. */
export class UnreadableLine {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    this.refusal = refusal;
  }
}

/** Reads a line of a body; `own` is used where the line has no key. */
export function readBatchLine(line: string, own: { readonly key?: string }): BatchLine | UnreadableLine {
  const reading = readJson(line);
  if (reading.kind === 'broken') {
    const { issue } = reading;
    const refusal = refuse('invalid_json', explainIssue(issue), pointer(issue.path));
    return new UnreadableLine({ ...refusal, hint: LINE_HINT });
  }
  if (!isJsonObject(reading.value)) return new UnreadableLine(refuseLine());
  return { ...own, ...(reading.value as unknown as BatchLine) };
}

function refuseLine(): Refusal {
  return { ...refuse('invalid_json', 'the line is not a JSON object'), hint: LINE_HINT };
}

function errorOf({ kind: _kind, ...error }: Refusal): BatchAnswer {
  return { error: { ...error, hint: hintForApi(error) } };
}

/** The tasks that a call is about; null where that is not certain, so that it waits for all others. */
function tasksOf({ name, request }: ReadLine): readonly string[] | null {
  const fields = request as Readonly<Record<string, unknown>>;
  if (name === 'send') {
    const found = NAME_IN_TEXT.exec(String(fields.text))?.[0];
    return found === undefined ? null : [found];
  }
  const references = TASK_FIELDS.flatMap((field) => (fields[field] ?? []) as string | string[]);
  if (references.length === 0) return name === 'createTask' ? [] : null;
  return references.every((reference) => LASTING.test(reference)) ? references : null;
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
