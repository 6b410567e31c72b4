import type { NewTaskRequest, NodeClient } from '../api/contract.ts';
import type { CallOptions, TaskView } from '../api/task-view.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { SteadyLink } from './steady-link.ts';
import { steadyOrders } from './steady-orders.ts';

type Names = readonly string[];
/** What a call names, and what is done once the names are known. */
interface Change<Answer> {
  readonly names: Names;
  make(client: NodeClient, names: Names, once: Required<CallOptions>): Promise<Answer>;
}

type AboutOne<Answer> = (client: NodeClient, task: string, once: Required<CallOptions>) => Promise<Answer>;

/** Names that mean the same task at any time; @, a number or words of a title may come to mean another. */
const LASTING = /^\s*(TASK-\d{4}-\d{2}-\d{2}-\d{3}|tsk_\S+)\s*$/i;

/**
 * A client for one command, which is applied once even if the node is lost in the middle of it: each change has a key,
 * its tasks are found once, and the same is then asked again of the next node.
 */
export function steadyClient(link: SteadyLink): NodeClient {
  return {
    ...changesOf(link),
    ...steadyOrders(link, keyOf, async (reference) => {
      const names = await findNames(link, [reference]);
      return isRefusal(names) ? names : (names[0] ?? reference);
    }),
    listTasks: (request) => link.ask((client) => client.listTasks(request)),
    showTask: (reference) => link.ask((client) => client.showTask(reference)),
    events: (request) => link.ask((client) => client.events(request)),
    status: () => link.ask((client) => client.status()),
    rebuild: () => link.ask((client) => client.rebuild()),
    // The file it wrote would be in its own way.
    backup: (file, options) => link.ask((client) => client.backup(file, options), { isRepeatable: false }),
    treeSettled: (tasks) => link.ask((client) => client.treeSettled(tasks)),
    close: () => link.client.close(),
  };
}

function changesOf(link: SteadyLink) {
  const change = changer(link);
  const about = <Answer>(task: string, make: AboutOne<Answer>, options?: CallOptions) =>
    change({ names: [task], make: (client, [id = task], once) => make(client, id, once) }, options);
  return {
    ...runsOf(about),
    createTask: (request, options) => {
      const { dependsOn = [], parent } = request;
      const names = parent ? [...dependsOn, parent] : dependsOn;
      return change(
        { names, make: (client, found, once) => client.createTask(withNames(request, found), once) },
        options,
      );
    },
    moveTask: (task, to, options) =>
      about(task, (client, id, once) => client.moveTask(id, to, { ...options, ...once }), options),
    editTask: (task, fields, options) => about(task, (client, id, once) => client.editTask(id, fields, once), options),
    cancelTask: (task, options) =>
      about(task, (client, id, once) => client.cancelTask(id, { ...options, ...once }), options),
    retryTask: (task, options) => about(task, (client, id, once) => client.retryTask(id, once), options),
    dependTask: (task, on, options) => {
      const make: Change<TaskView | Refusal>['make'] = (client, found, once) =>
        client.dependTask(found.at(-1) ?? task, found.slice(0, -1), once);
      return change({ names: [...on, task], make }, options);
    },
    send: async (text, options = {}) => {
      const once = { ...options, key: await keyOf(options) };
      return await link.ask((client) => client.send(text, once));
    },
  } satisfies Partial<NodeClient>;
}

function runsOf(
  about: <Answer>(task: string, make: AboutOne<Answer>, options?: CallOptions) => Promise<Answer | Refusal>,
) {
  return {
    claimTask: (request, options) =>
      about(request.task, (client, task, once) => client.claimTask({ ...request, task }, once), options),
    // A second sign of life is as good as one.
    beatTask: (request) => about(request.task, (client, task) => client.beatTask({ ...request, task })),
    endTask: (request, options) =>
      about(request.task, (client, task, once) => client.endTask({ ...request, task }, once), options),
  } satisfies Partial<NodeClient>;
}

function changer(link: SteadyLink) {
  return async <Answer>({ names, make }: Change<Answer>, given: CallOptions = {}): Promise<Answer | Refusal> => {
    const found = await findNames(link, names);
    if (isRefusal(found)) return found;
    const once = { key: await keyOf(given) };
    return await link.ask((client) => make(client, found, once));
  };
}

/** In the order in which a node looks for them: the first that cannot be found is the refusal. */
async function findNames(link: SteadyLink, references: Names): Promise<Names | Refusal> {
  const names: string[] = [];
  for (const reference of references) {
    const task = LASTING.test(reference) ? { id: reference } : await link.ask((client) => client.showTask(reference));
    if (isRefusal(task)) return task;
    names.push(task.id);
  }
  return names;
}

function withNames(request: NewTaskRequest, names: Names): NewTaskRequest {
  const { dependsOn = [], parent } = request;
  if (names.length === 0) return request;
  return { ...request, dependsOn: names.slice(0, dependsOn.length), ...(parent && { parent: names.at(-1) ?? parent }) };
}

/** Behind an import of its own: who only looks needs none. */
async function keyOf({ key }: CallOptions): Promise<string> {
  return key ?? `once-${(await import('../platform/ids.ts')).randomIds().uuid()}`;
}
