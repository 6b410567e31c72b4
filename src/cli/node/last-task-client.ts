import { ANSWERED_NAMES, type AnsweredName, specOf, taskFieldsOf } from '../../api/calls.ts';
import { type AnyCall, callNamed, callsMadeBy, type NodeClient } from '../../api/node-client.ts';
import { loadRun, loadStateFolder } from '../../config/load.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { LastTask } from '../../platform/files/last-task.ts';
import type { Call } from '../command.ts';
import { printAside } from '../output/print.ts';
import { visible } from '../output/visible.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A client for a person's command: @ means the task that this person named or started last with the data folder, and the
 * task that this command names or starts is kept for the next one. An agent's commands neither use nor change it.
 */
export function lastTaskClient(call: Call, dataFolder: string, client: NodeClient): NodeClient {
  if (loadRun(undefined) !== null) return client;
  const parts: CallParts = { client, last: new LastTask(loadStateFolder(), dataFolder), isGiven: givenIn(call) };
  return { ...client, ...callsMadeBy(ANSWERED_NAMES, (name) => lastTaskCall(parts, name)) };
}

interface CallParts {
  readonly client: NodeClient;
  readonly last: LastTask;
  /** Whether the person wrote this reference; a command asks about further tasks by itself. */
  isGiven(reference: string): boolean;
}

function givenIn({ words, flags }: Call): CallParts['isGiven'] {
  const joined = words.join(' ');
  return (reference) => joined.includes(reference) || Object.values(flags).includes(reference);
}

function lastTaskCall(parts: CallParts, name: AnsweredName): AnyCall {
  const ask = callNamed(parts.client, name);
  const { status, form, answer: kind } = specOf(name);
  // What continues a task that is over starts another one.
  const isStart = status === 201 || form === 'message' || kind === 'OrderAnswer';
  return async (request = {}, options) => {
    const { task: given } = request as Fields;
    const meant = await withMeant(parts, name, request as Fields);
    if (isRefusal(meant)) return meant;
    const answer = await ask(meant, options);
    const named = isStart ? nameIn(answer) : await namedBy(parts, { given, task: meant.task, answer });
    if (named !== null) parts.last.name(named);
    return answer;
  };
}

/** The request with the task that @ means in its place. */
async function withMeant(parts: CallParts, name: AnsweredName, request: Fields): Promise<Fields | Refusal> {
  const fields = taskFieldsOf(name).filter((field) => [request[field]].flat().some(isLast));
  if (fields.length === 0) return request;
  const meant = await meantTask(parts);
  if (isRefusal(meant)) return meant;
  const change = (given: unknown) => (isLast(given) ? meant : given);
  const changed = fields.map((field) => {
    const given = request[field];
    return [field, Array.isArray(given) ? given.map(change) : change(given)];
  });
  return { ...request, ...Object.fromEntries(changed) };
}

function isLast(reference: unknown): boolean {
  return typeof reference === 'string' && reference.trim() === '@';
}

async function meantTask({ client, last }: CallParts): Promise<string | Refusal> {
  const named = last.task();
  // A restored folder may not have it.
  if (named !== null && !isRefusal(await client.showTask({ task: named }))) return named;
  const newest = await client.showTask({ task: '@' });
  if (isRefusal(newest)) return newest;
  printAside(`@ is ${newest.id}  ${visible(newest.title)}: the newest task, as none was named here before`);
  return newest.id;
}

interface CallAndAnswer {
  readonly given: unknown;
  readonly task: unknown;
  readonly answer: object;
}

/** The task that the person named, also if the call was refused for another reason; null if no task was named. */
async function namedBy({ client, isGiven }: CallParts, { given, task, answer }: CallAndAnswer): Promise<string | null> {
  if (typeof task !== 'string' || typeof given !== 'string' || !isGiven(given)) return null;
  if (!isRefusal(answer)) {
    const name = nameIn(answer);
    if (name !== null) return name;
  }
  const found = await client.showTask({ task });
  return isRefusal(found) ? null : found.id;
}

/** The name of the task that an answer is about. */
function nameIn(answer: object): string | null {
  const { id, task } = answer as Fields;
  const name = typeof id === 'string' ? id : ((task as Fields | null | undefined)?.id ?? task);
  return typeof name === 'string' && name.startsWith('TASK-') ? name : null;
}
