import type { VersionFallback } from '../../domain/execution/fact.ts';
import { AOP_TASK_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import { type PlainCode, type Refusal, refuse } from '../../domain/refusal.ts';
import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import type { Problem } from '../codec.ts';
import { objectAt } from '../json-text.ts';
import { isLargerThan } from '../text-size.ts';
import { encodeAop } from './encode.ts';
import type { TaskMessage } from './schema/task.ts';
import { plainTask, type ReadableField, type TaskSurroundings, withReadable } from './task-of-v1.ts';
import { readableObjective, writeV1Prompt } from './v1-prompt.ts';
import { noteFallback } from './version-fallback.ts';

/** A TASK that failed its schema. */
export interface FailedTask {
  readonly value: unknown;
  readonly text: string;
  readonly errors: readonly Problem[];
}

export interface Fallback {
  readonly task: TaskMessage;
  readonly fallback: VersionFallback;
}

/**
 * AOP §1.3: the message is sent as a v1 prompt. Of the rest, only ids, names and bounds are kept where they can be read:
 * nothing that widens a right or has to be verified. Without an objective there is nothing to run.
 */
export function fallbackTask(failed: FailedTask, about: TaskSurroundings): Fallback | Refusal {
  const { value, text, errors } = failed;
  const objective = readableObjective(value);
  if (objective === null || !isJsonObject(value)) return refuseFailed(errors);
  const reason = 'invalid-message';
  const fallback = noteFallback({ reason, value, text, errors, timestamp: about.createdAt });
  return { task: withPrompt(bounded(value, objective, about), writeV1Prompt(value)), fallback };
}

/** Refuses the message, with every problem found. */
export function refuseFailed(errors: readonly Problem[], code: PlainCode = 'invalid-message'): Refusal {
  const [first, ...others] = errors;
  const refusal = refuse(code, first?.message ?? 'it is not a valid TASK', first?.path ?? '');
  return { ...refusal, problems: others.map(({ path, message }) => ({ path, message })) };
}

function bounded(value: JsonObject, objective: string, about: TaskSurroundings): TaskMessage {
  const [session, target, task] = [objectAt(value, 'session'), objectAt(value, 'target'), objectAt(value, 'task')];
  const environment = { workspace_root: objectAt(task, 'environment').workspace_root };
  const plain = withReadable(plainTask(objective, about), [
    ['session', 'session_id', session.session_id],
    ['session', 'created_at', session.created_at],
    ['session', 'orchestrator', session.orchestrator],
    ['session', 'origin', session.origin],
    ...targetFields(target),
    ...fields('task', task, ['task_id', 'parent_task_id', 'category', 'complexity', 'priority']),
    ['task', 'environment', environment.workspace_root === undefined ? undefined : environment],
  ]);
  const parts = [
    ['task', 'constraints', objectAt(task, 'constraints')],
    ['task', 'budgets', objectAt(task, 'budgets')],
    ['task', 'access', objectAt(task, 'access')],
    ['target', 'capabilities', objectAt(target, 'capabilities')],
  ] as const;
  return parts.reduce(withBoundsOf, plain);
}

/** A provider and a model without a readable name must not mean the agent that the caller would have chosen. */
function targetFields(target: JsonObject): readonly ReadableField[] {
  const hasModel = typeof target.provider === 'string' && typeof target.model === 'string';
  return [
    ['target', 'agent_name', hasModel ? 'unnamed' : undefined],
    ...fields('target', target, ['agent_name', 'role', 'provider', 'model']),
  ];
}

function fields(part: ReadableField[0], from: JsonObject, names: readonly string[]): readonly ReadableField[] {
  return names.map((name) => [part, name, from[name]]);
}

/** Each bound by itself: one that cannot be read does not invalidate the others. */
function withBoundsOf(
  task: TaskMessage,
  [part, name, bounds]: readonly ['task' | 'target', string, JsonObject],
): TaskMessage {
  return Object.entries(bounds).reduce((bound, [key, value]) => {
    const already = (bound[part] as JsonObject)[name];
    return withReadable(bound, [[part, name, { ...(isJsonObject(already) ? already : {}), [key]: value }]]);
  }, task);
}

/** The agent's prompt goes with the TASK, unless that would be too large for one; then it is written from the TASK. */
function withPrompt(task: TaskMessage, prompt: string): TaskMessage {
  const kept = { ...task, task: { ...task.task, extensions: { x_baton: { v1_prompt: prompt } } } };
  return isLargerThan(encodeAop(kept), AOP_TASK_BYTES_MAX) ? task : kept;
}
