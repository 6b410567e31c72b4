import { ANSWERED_NAMES, type AnsweredName } from '../../api/calls.ts';
import type { TaskDetail } from '../../api/contract.ts';
import { refusedMessage } from '../../api/message-answer.ts';
import { type AnyCall, callNamed, callsMadeBy, type NodeClient, type RequestOf } from '../../api/node-client.ts';
import type { ExternalCaller, Scope } from '../../domain/external/external-agent.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { TASK_NAME } from '../../domain/task/task.ts';
import type { RightsParts } from '../rights-parts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The scopes that open each call of the table to an external agent, which then makes it in its own name. */
const OPEN_CALLS: Partial<Readonly<Record<AnsweredName, readonly Scope[]>>> = {
  status: ['status.read'],
  readMessages: ['message.read'],
  sendMessage: ['message.send'],
  replyMessage: ['message.send'],
  listTasks: ['task.read'],
  showTask: ['task.read', 'task.update', 'task.complete'],
  claimTask: ['task.claim'],
  beatTask: ['task.claim'],
  endTask: ['task.claim', 'task.complete'],
  listExternalAgents: ['admin'],
  readAudit: ['admin'],
  revokeExternal: ['admin'],
};

/** The fields by which calls name the agent that makes them: whatever an external agent says there, it is its own name. */
const NAMES_ITSELF: Partial<Readonly<Record<AnsweredName, 'agent' | 'from'>>> = {
  readMessages: 'agent',
  sendMessage: 'from',
  replyMessage: 'from',
  claimTask: 'agent',
  beatTask: 'agent',
  endTask: 'agent',
};

/** The calls of an external agent: those of its scopes, in its own name, about tasks that are its own or nobody's. */
export function externalClient(parts: RightsParts, caller: ExternalCaller): NodeClient {
  const { client, receive, holderOf, revokeAs } = parts;
  const made = (name: AnsweredName): AnyCall => {
    const opening = OPEN_CALLS[name] ?? [];
    return async (given = {}, options) => {
      const request = given as Fields;
      if (!opening.some((scope) => caller.scopes.includes(scope))) return denied(name);
      if ('task' in request && !isLastingName(request.task))
        return refuse('task_not_found', 'name the task as TASK-2026-02-09-057 or tsk_…', '/task');
      const field = NAMES_ITSELF[name];
      const asItself = field === undefined ? request : { ...request, [field]: caller.agent };
      const answer = await callNamed(client, name)(asItself, options);
      return name === 'showTask' && !isRefusal(answer) ? shown(answer as TaskDetail, caller) : answer;
    };
  };
  return {
    ...callsMadeBy(ANSWERED_NAMES, made),
    listTasks: async (request = {}) =>
      caller.scopes.includes('task.read') ? await listOwn(client, request, caller) : denied('listTasks'),
    revokeExternal: async ({ who }) =>
      caller.scopes.includes('admin') ? await revokeAs(who, caller.agent) : denied('revokeExternal'),
    send: async ({ text, run = null }, options) => {
      const holder = run === null ? null : holderOf(run);
      if (holder?.agent !== caller.agent) return refusedMessage(refuse('stale_run', 'this is no run of this agent'));
      return await receive(text, { kind: 'run', holder, by: 'token' }, options?.key);
    },
    follow: async () => denied('follow'),
    batch: () => {
      throw new Error('an external agent makes one call at a time');
    },
    close: async () => {},
  };
}

function denied(name: string): Refusal {
  return refuse('scope_denied', `no scope of this agent allows ${name}`);
}

/** Words of a title, numbers and @ may mean another task at another time. */
function isLastingName(task: unknown): boolean {
  return typeof task === 'string' && (TASK_NAME.test(task) || /^tsk_[0-9A-Z]{26}$/.test(task));
}

/** A task that is routed to the agent, that it has worked on, or that waits and is nobody's. */
function shown(task: TaskDetail, { agent }: ExternalCaller): TaskDetail | Refusal {
  const isOpen = task.agent === null && isWaiting(task);
  if (task.agent === agent || isOpen || task.runs.some((run) => run.agent === agent)) return task;
  return refuse('scope_denied', `${task.id} is a task of somebody else`, '/task');
}

/** Tasks that are routed to the agent, or, where it asks for those, tasks that wait and are nobody's. */
async function listOwn(client: NodeClient, request: RequestOf<'listTasks'>, { agent }: ExternalCaller) {
  const { agent: _agent, unassigned = false, ...rest } = request;
  if (!unassigned) return await client.listTasks({ ...rest, agent });
  const page = await client.listTasks({ ...rest, unassigned });
  return isRefusal(page) ? page : { ...page, tasks: page.tasks.filter(isWaiting) };
}

function isWaiting({ status }: Pick<TaskDetail, 'status'>): boolean {
  return status === 'backlog' || status === 'ready';
}
