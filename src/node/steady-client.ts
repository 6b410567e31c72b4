import { ANSWERED_NAMES, type AnsweredName, factsOf } from '../api/calls.ts';
import { type AnyCall, callNamed, callsMadeBy, type NodeClient } from '../api/node-client.ts';
import type { CallOptions } from '../api/task-view.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { SteadyLink } from './steady-link.ts';

type Fields = Readonly<Record<string, unknown>>;

/** References that mean the same task at any time; @, a number or words of a title may come to mean another. */
const LASTING = /^\s*(TASK-\d{4}-\d{2}-\d{2}-\d{3}|tsk_\S+)\s*$/i;
/** The fields of requests that refer to tasks, in the order in which a node looks for them. */
const TASK_FIELDS = ['on', 'dependsOn', 'parent', 'task'];

/**
 * A client for one command, which takes effect once even if the node is lost in the middle of it: each change has a
 * key, its tasks are found once, and the same call then goes to the next node.
 */
export function steadyClient(link: SteadyLink): NodeClient {
  return {
    ...callsMadeBy(ANSWERED_NAMES, (name) => steadyCall(link, name)),
    follow: (request, signal) => link.client.follow(request, signal),
    // Its lines carry their own keys: the caller sends again what was not answered.
    batch: (lines) => link.client.batch(lines),
    close: () => link.client.close(),
  };
}

function steadyCall(link: SteadyLink, name: AnsweredName): AnyCall {
  const { effect, repeat } = factsOf(name);
  const ask = (request: object, options?: CallOptions) =>
    link.ask((client) => callNamed(client, name)(request, options), { isRepeatable: repeat !== 'never' });
  if (effect === 'reads') return ask;
  return async (request = {}, options = {}) => {
    const lasting = await withLastingNames(link, request as Fields);
    if (isRefusal(lasting)) return lasting;
    return await ask(lasting, repeat === 'keyed' ? { key: await keyOf(options) } : options);
  };
}

/** The first task that cannot be found is the refusal. */
async function withLastingNames(link: SteadyLink, request: Fields): Promise<Fields | Refusal> {
  const lasting: Record<string, unknown> = { ...request };
  for (const field of TASK_FIELDS) {
    const given = request[field];
    if (given === undefined || given === null || given === '') continue;
    const names: string[] = [];
    for (const reference of Array.isArray(given) ? (given as string[]) : [String(given)]) {
      const name = await lastingName(link, reference);
      if (isRefusal(name)) return name;
      names.push(name);
    }
    lasting[field] = Array.isArray(given) ? names : names[0];
  }
  return lasting;
}

async function lastingName(link: SteadyLink, reference: string): Promise<string | Refusal> {
  if (LASTING.test(reference)) return reference;
  const task = await link.ask((client) => client.showTask({ task: reference }));
  return isRefusal(task) ? task : task.id;
}

/** Behind an import of its own: a command that only reads needs no key. */
async function keyOf({ key }: CallOptions): Promise<string> {
  return key ?? `once-${(await import('../platform/ids.ts')).randomIds().uuid()}`;
}
