import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { TASK_NAME_INSIDE } from '../domain/task/task.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import { explainIssue } from '../protocols/explain-issue.ts';
import { pointer } from '../protocols/issue.ts';
import { readJson } from '../protocols/json-text.ts';
import { tasksOfMessage } from '../protocols/tasks-of-message.ts';
import { ANSWERED_NAMES, type AnsweredName, specOf, taskFieldsOf } from './calls.ts';
import type { BatchLine } from './contract.ts';
import { refuseKey } from './idempotency-key.ts';
import { readFields } from './read-fields.ts';
import { SCHEMAS } from './schemas.ts';

const LINE_HINT = 'a line is one JSON object: {"call":"NAME","request":{…},"key":"KEY"}';
const NAMES: ReadonlySet<string> = new Set(ANSWERED_NAMES);
/** Other references, such as words of a title, may mean another task later. */
const LASTING = new RegExp(`^(${TASK_NAME_INSIDE.source}|tsk_\\S+)$`);

/** The call that a line of a batch asks for. */
export interface LineCall {
  readonly name: AnsweredName;
  readonly request: object;
}

/** A line comes from outside: nothing of its form is taken for granted. */
export function callOfLine(line: BatchLine): LineCall | Refusal {
  if (line instanceof UnreadableLine) return line.refusal;
  if (typeof line !== 'object' || line === null) return refuseLine();
  const shaped = readFields(line, SCHEMAS.BatchLine);
  if (isRefusal(shaped)) return shaped;
  const { call, request = {}, key } = shaped;
  const wrongKey = key === undefined ? null : refuseKey(key, 'key', '/key');
  if (wrongKey) return wrongKey;
  if (!NAMES.has(call)) return refuse('invalid_argument', `there is no call ${JSON.stringify(call)}`, '/call');
  const name = call as AnsweredName;
  const fields = readFields(request, SCHEMAS[specOf(name).request]);
  if (isRefusal(fields)) return { ...fields, path: `/request${fields.path}` };
  return { name, request: fields };
}

/** Stands for a line that its server could not read; a line from outside cannot look like one. */
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
  const value = reading.value as unknown as BatchLine;
  return own.key === undefined ? value : { ...own, ...value };
}

function refuseLine(): Refusal {
  return { ...refuse('invalid_json', 'the line is not a JSON object'), hint: LINE_HINT };
}

/** The tasks that a call is about; null where that is not certain, so that it waits for all others. */
export function tasksOf({ name, request }: LineCall): readonly string[] | null {
  const fields = request as Readonly<Record<string, unknown>>;
  const { form, isNew } = specOf(name);
  const references =
    form === 'message'
      ? tasksOfMessage(String(fields.text))
      : taskFieldsOf(name).flatMap((field) => (fields[field] ?? []) as string | string[]);
  if (references.length === 0) return isNew ? [] : null;
  return references.every((reference) => LASTING.test(reference)) ? references : null;
}
