import type { Provider } from '../../domain/agent.ts';
import { AOP_TASK_BYTES_MAX } from '../../domain/message-limits.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { readJson, startsLikeJson } from '../json-text.ts';
import { isLargerThan } from '../text-size.ts';
import { decodeAopValue } from './decode.ts';
import { encodeAop } from './encode.ts';
import type { TaskMessage } from './schema/task.ts';
import { isV1Markdown, readV1Markdown, type V1Prompt } from './v1-markdown.ts';

/** Values that an order in words does not contain. */
export interface TaskSurroundings {
  readonly sessionId: string;
  readonly taskId: string;
  /** RFC 3339, from the caller's clock. */
  readonly createdAt: string;
  readonly workspaceRoot: string;
  readonly agent: { readonly name: string; readonly provider: Provider; readonly model: string };
  /** The way it came in: CLI, HTTP, … */
  readonly origin: string;
}

/** Prose and AOP v1 markdown as a TASK with defaults (aop:detection). */
export function taskOfWords(text: string, about: TaskSurroundings): TaskMessage | Refusal {
  if (startsLikeJson(text) || isJson(text)) return notToBeRun('this is JSON, but no AOP message', HOW_TO_SAY);
  const isV1 = isV1Markdown(text);
  const lifted = isV1 ? liftV1(readV1Markdown(text), about) : liftWords(text.trim(), about);
  if (lifted === null) return notToBeRun('the task is empty', HOW_TO_SAY);
  if (!isLargerThan(encodeAop(lifted), AOP_TASK_BYTES_MAX)) return lifted;
  return refuse('E_CONTEXT_OVERFLOW', `as a TASK it is larger than ${AOP_TASK_BYTES_MAX} bytes`);
}

/** A number or a quoted string is JSON too, and no order. */
function isJson(text: string): boolean {
  return readJson(text).kind === 'value';
}

const HOW_TO_SAY = 'say it in plain words, or as an AOP TASK: baton schema aop TASK shows its form';

/** A text that is no order, with a hint at what to give instead. */
export function notToBeRun(message: string, hint: string): Refusal {
  return { ...refuse('E_PARSE_FAILURE', message), hint };
}

/** A TASK with its required fields only. */
export function plainTask(objective: string, about: TaskSurroundings): TaskMessage {
  const { agent } = about;
  return {
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'TASK',
    session: {
      session_id: about.sessionId,
      created_at: about.createdAt,
      orchestrator: 'baton',
      origin: about.origin,
      workflow_pattern: 'SINGLE',
    },
    target: { agent_name: agent.name, role: 'EXECUTOR', provider: agent.provider, model: agent.model },
    task: {
      task_id: about.taskId,
      objective,
      category: 'OTHER',
      complexity: 'MEDIUM',
      environment: { workspace_root: about.workspaceRoot },
    },
  };
}

function liftWords(words: string, about: TaskSurroundings): TaskMessage | null {
  return words === '' ? null : plainTask(words, about);
}

/** The whole text goes on as an input, beside the objective that was found in it. */
function liftV1(prompt: V1Prompt, about: TaskSurroundings): TaskMessage | null {
  const content = prompt.text.trim();
  const objective = prompt.objective?.trim() || withoutMarks(content);
  if (objective === '') return null;
  const inputs = objective === content ? [] : [{ type: 'TEXT', description: 'the whole order, AOP v1', content }];
  const plain = plainTask(objective, about);
  const { category, complexity, priority } = prompt.fields;
  return withReadable({ ...plain, task: { ...plain.task, inputs } }, [
    ['task', 'category', category?.toUpperCase()],
    ['task', 'complexity', complexity?.toUpperCase()],
    ['task', 'priority', priority?.toUpperCase()],
  ]);
}

/** The text without the heading and the line that mark it as v1. */
function withoutMarks(text: string): string {
  const isMark = (line: string) => /^\s*#+\s.*ORCHESTRATION_TASK/.test(line) || /^[\s>*_-]*PROTOCOL[*_]*:/i.test(line);
  return text
    .split('\n')
    .filter((line) => !isMark(line))
    .join('\n')
    .trim();
}

export type ReadableField = readonly [part: 'task' | 'target' | 'session', field: string, value: unknown];

/** The TASK with each of these fields that its schema accepts; the others are left out. */
export function withReadable(task: TaskMessage, fields: readonly ReadableField[]): TaskMessage {
  let readable = task;
  for (const [part, field, value] of fields) {
    if (value === undefined) continue;
    const candidate = { ...readable, [part]: { ...readable[part], [field]: value } };
    const verdict = decodeAopValue(candidate);
    if (verdict.verdict === 'accepted') readable = verdict.message as TaskMessage;
  }
  return readable;
}
