import type { VersionFallback } from '../../domain/execution/fact.ts';
import { AOP_TASK_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import type { OrderTerms, OrderText } from '../../domain/order/decide-order.ts';
import type { Order, Provenance, SentMessage } from '../../domain/order/order.ts';
import { POLICY_DEFAULTS } from '../../domain/order/policy.ts';
import {
  failureCodeOf,
  isRefusal,
  type PlainCode,
  type Refusal,
  type RefusalCode,
  refuse,
} from '../../domain/refusal.ts';
import type { Malformed, Warning } from '../codec.ts';
import { readJson } from '../json-text.ts';
import { isLargerThan } from '../text-size.ts';
import { decodeAop } from './decode.ts';
import { encodeAop } from './encode.ts';
import { fallbackTask, refuseFailed } from './fallback-task.ts';
import { textOfTask } from './order-of-task.ts';
import type { TaskMessage } from './schema/task.ts';
import { plainTask, type TaskSurroundings, taskOfV1 } from './task-of-v1.ts';
import type { V1Prompt } from './v1-markdown.ts';

/** A TASK that its receiver has decoded: it is not decoded again. */
export interface DecodedTask {
  readonly message: object;
  readonly warnings: readonly Warning[];
}

interface ReadTask {
  readonly task: TaskMessage;
  /** It came as AOP JSON: a program's order, so nobody is asked. */
  readonly isProgram: boolean;
  /** It failed its schema and is continued as v1; the sender is told. */
  readonly fallback: VersionFallback | null;
  readonly warnings: readonly Warning[];
}

/** Reads a text that is an AOP TASK or v1 markdown. */
export function readTaskOrder(text: string, terms: OrderTerms, decoded?: DecodedTask): OrderText | Refusal {
  const read = decoded ? readDecoded(decoded) : readTask(text, surroundingsOf(terms));
  if (isRefusal(read)) return read;
  const { task, isProgram, fallback } = read;
  const dependsOn = dependenciesOf(task);
  if (isRefusal(dependsOn)) return dependsOn;
  const warnings = read.warnings.map(({ code, path, message }) => ({ kind: 'message', code, path, message }) as const);
  const reading = { isProgram, isFallback: fallback !== null, notes: { warnings, fallback }, dependsOn };
  return textOfTask(task, { ...reading, provenance: { protocol: 'aop', text } });
}

/** The TASK that an agent gets for an order: the received one with Baton's bounds, or one made from plain words. */
export function taskOfOrder(order: Order, message: SentMessage, orderedAt: number): TaskMessage {
  const task = message === null ? plainTask(order.objective, aboutOrder(order, orderedAt)) : (message as TaskMessage);
  return withDecisions(task, order);
}

/** The message of an order that was stored as its text alone. */
export function readStoredMessage(order: Order, provenance: Provenance, orderedAt: number): SentMessage {
  if (provenance === null) return null;
  const read = readTask(provenance.text, aboutOrder(order, orderedAt));
  if (isRefusal(read)) throw new Error(`the text of ${order.taskId} was accepted and cannot be read: ${read.message}`);
  return read.task;
}

function aboutOrder({ target, sessionId, taskId, workspaceRoot, origin }: Order, orderedAt: number): TaskSurroundings {
  const agent = { name: target.agentName, provider: target.provider, model: target.model };
  return { sessionId, taskId, createdAt: new Date(orderedAt).toISOString(), workspaceRoot, agent, origin };
}

const NO_REMARKS = { fallback: null, warnings: [] } as const;

function readTask(text: string, about: TaskSurroundings): ReadTask | Refusal {
  const verdict = decodeAop(text);
  if (verdict.verdict === 'malformed') return afterMalformed(verdict, text, about);
  if (verdict.verdict === 'foreign') return refuseOrderText('this is JSON, but no AOP message');
  if (verdict.kind === 'V1') return readV1(verdict.message as V1Prompt, about);
  if (verdict.kind !== 'TASK') {
    const hint = `give the TASK itself, or plain words; baton check judges a ${verdict.kind}`;
    return refuseOrderText(`this is a ${verdict.kind}, and only a TASK can be run`, hint);
  }
  return readDecoded(verdict);
}

function readDecoded({ message, warnings }: DecodedTask): ReadTask {
  return { ...NO_REMARKS, task: message as TaskMessage, isProgram: true, warnings };
}

function readV1(prompt: V1Prompt, about: TaskSurroundings): ReadTask | Refusal {
  const task = taskOfV1(prompt, about);
  if (task === null) return refuseOrderText('the task is empty');
  return refuseLargeTask(task) ?? { ...NO_REMARKS, task, isProgram: false };
}

/** Agents that read AOP get every order as a TASK, so an order in other words must fit into one. */
export function refuseLargeTask(task: TaskMessage): Refusal | null {
  if (!isLargerThan(encodeAop(task), AOP_TASK_BYTES_MAX)) return null;
  return refuse('message-too-large', `as a TASK it is larger than ${AOP_TASK_BYTES_MAX} bytes`);
}

const HOW_TO_SAY = 'say it in plain words, or as an AOP TASK: baton schema aop TASK shows its form';

/** Refuses a text that is no order, with a hint at what to give instead. */
export function refuseOrderText(message: string, hint = HOW_TO_SAY): Refusal {
  return { ...refuse('unreadable-message', message), hint };
}

/** Only a TASK of the wrong form falls back: a text that is too large, or no JSON, does not. */
function afterMalformed(verdict: Malformed, text: string, about: TaskSurroundings): ReadTask | Refusal {
  const { kind, code, errors, warnings } = verdict;
  const isFailedTask = (kind === 'TASK' || kind === null) && code === 'E_SCHEMA_VALIDATION';
  if (!isFailedTask) return refuseFailed(errors, failureCodeOf(code as RefusalCode) as PlainCode);
  const found = fallbackTask({ value: readJson(text).value, text, errors }, about);
  if (isRefusal(found)) return found;
  return { ...found, isProgram: true, warnings };
}

function surroundingsOf({ usualAgent: agent, createdAt, ...terms }: OrderTerms): TaskSurroundings {
  return { ...terms, agent, createdAt: new Date(createdAt).toISOString() };
}

const DEPENDS_ON = '/task/extensions/x_depends_on';

/** aop:dependencies: the sender's names of the tasks that this one waits for. */
function dependenciesOf({ session, task }: TaskMessage): readonly string[] | null | Refusal {
  const named: unknown = task.extensions?.x_depends_on ?? null;
  if (named === null) return null;
  if (!Array.isArray(named)) return refuse('invalid-message', 'x_depends_on is a list of task_ids', DEPENDS_ON);
  const at = named.findIndex((id) => typeof id !== 'string');
  if (at === -1) return named as readonly string[];
  const message = `${String(named[at])} is no task of ${session.session_id} that is known here`;
  return refuse('invalid-message', message, `${DEPENDS_ON}/${at}`);
}

/** The TASK with the bounds that Baton enforces, where they differ from the stated or implied ones. */
function withDecisions(task: TaskMessage, { target, policy, budget }: Order): TaskMessage {
  const { guard_rails: rails, execution_policy: execution } = task;
  const { budgets, constraints } = task.task;
  const said = rails?.timeout_seconds ?? execution?.timeout_seconds ?? POLICY_DEFAULTS.timeoutSeconds;
  const [costSaid] = [budgets?.max_cost_usd, constraints?.max_cost_usd].filter((cost) => typeof cost === 'number');
  const cost = budget.costUsdMax !== null && (costSaid === undefined || budget.costUsdMax < costSaid);
  const timeout = policy.timeoutSeconds !== said && { timeout_seconds: policy.timeoutSeconds };
  return {
    ...task,
    target: { ...task.target, agent_name: target.agentName },
    task: cost ? { ...task.task, budgets: { ...budgets, max_cost_usd: budget.costUsdMax } } : task.task,
    ...(timeout && { guard_rails: { ...rails, ...timeout } }),
  };
}
