import { type CallFacts, CHANGE, ONCE, READ, REPEATABLE } from './call-facts.ts';
import { ORDER_CALLS } from './order-call-facts.ts';
import { REVIEW_CALLS } from './review-calls.ts';
import { TALK_CALLS } from './talk-calls.ts';

const ONE_TASK = { request: 'TaskRequest', answer: 'TaskView' } as const;

/** Every call of a node, once. A new one costs a line here and its implementation; the compiler finds the places. */
export const CALLS = {
  status: {
    ...READ,
    path: '/v1/status',
    request: 'Nothing',
    answer: 'StatusAnswer',
    about: 'Counts the tasks and lists what runs, what waits and what needs a decision.',
  },
  listTasks: {
    ...READ,
    path: '/v1/tasks',
    request: 'TaskListRequest',
    answer: 'TaskPage',
    names: ['parent'],
    about: 'Lists tasks, a page at a time.',
  },
  createTask: {
    ...CHANGE,
    path: '/v1/tasks',
    request: 'NewTaskRequest',
    answer: 'TaskView',
    status: 201,
    names: ['dependsOn', 'parent'],
    isNew: true,
    about: 'Creates a task.',
  },
  showTask: {
    ...READ,
    path: '/v1/tasks/{task}',
    request: 'TaskRequest',
    answer: 'TaskDetail',
    who: 'own-task',
    about: 'Shows a task and its runs.',
  },
  editTask: {
    ...CHANGE,
    method: 'PATCH',
    path: '/v1/tasks/{task}',
    request: 'TaskChange',
    answer: 'TaskView',
    about: 'Changes fields of a task.',
  },
  moveTask: {
    ...CHANGE,
    path: '/v1/tasks/{task}/move',
    request: 'MoveRequest',
    answer: 'TaskView',
    about: 'Moves a task to another status.',
  },
  cancelTask: {
    ...CHANGE,
    path: '/v1/tasks/{task}/cancel',
    request: 'CancelRequest',
    answer: 'TaskView',
    about: 'Cancels a task.',
  },
  retryTask: {
    ...CHANGE,
    path: '/v1/tasks/{task}/retry',
    ...ONE_TASK,
    about: 'Makes a blocked or dead-lettered task ready again.',
  },
  dependTask: {
    ...CHANGE,
    path: '/v1/tasks/{task}/depend',
    request: 'DependRequest',
    answer: 'TaskView',
    names: ['on'],
    about: 'Makes a task depend on others.',
  },
  claimTask: {
    ...CHANGE,
    path: '/v1/tasks/{task}/claim',
    request: 'RunRequest',
    answer: 'HeldTask',
    carriesRun: true,
    about: 'Starts a run of an agent that Baton did not start.',
  },
  beatTask: {
    ...REPEATABLE,
    path: '/v1/tasks/{task}/beat',
    request: 'RunRequest',
    answer: 'HeldTask',
    who: 'own-task',
    carriesRun: true,
    about: 'Renews the lease of a run.',
  },
  endTask: {
    ...CHANGE,
    path: '/v1/tasks/{task}/end',
    request: 'RunRequest',
    answer: 'HeldTask',
    who: 'own-task',
    carriesRun: true,
    about: 'Ends a run.',
  },
  send: {
    ...CHANGE,
    path: '/v1/messages',
    request: 'MessageRequest',
    answer: 'SendAnswer',
    who: 'own-task',
    carriesRun: true,
    form: 'message',
    about: 'Sends a message of any protocol.',
  },
  batch: {
    ...CHANGE,
    path: '/v1/batch',
    request: 'BatchLine',
    answer: 'BatchAnswer',
    who: 'own-task',
    form: 'lines',
    about: 'Makes many calls: one line of JSON each, and one line of answer each, in their order.',
  },
  ...ORDER_CALLS,
  ...TALK_CALLS,
  ...REVIEW_CALLS,
  listRuns: {
    ...READ,
    path: '/v1/runs',
    request: 'RunListRequest',
    answer: 'RunPage',
    names: ['task'],
    about: 'Lists runs in the order in which they started, a page at a time.',
  },
  listAgents: {
    ...READ,
    path: '/v1/agents',
    request: 'Nothing',
    answer: 'AgentList',
    about: 'Lists the agents that work can be given to, and why others are not ready.',
  },
  listEvents: {
    ...READ,
    path: '/v1/events',
    request: 'EventsRequest',
    answer: 'EventPage',
    names: ['task'],
    about: 'Reads a page of the log.',
  },
  follow: {
    ...READ,
    path: '/v1/events',
    request: 'FollowRequest',
    answer: 'EventView',
    form: 'events',
    about: 'Streams events as they happen, each once and in order.',
  },
  treeSettled: {
    ...READ,
    path: '/v1/tree/settled',
    request: 'SettledRequest',
    answer: 'SettledAnswer',
    pending: { settled: false },
    isLong: true,
    about: 'Waits until the tree shows every change answered so far, of these tasks or of all.',
  },
  rebuild: {
    ...REPEATABLE,
    path: '/v1/rebuild',
    request: 'Nothing',
    answer: 'RebuildAnswer',
    isLong: true,
    about: 'Writes the whole tree again from the ledger.',
  },
  clean: {
    ...REPEATABLE,
    path: '/v1/clean',
    request: 'CleanRequest',
    answer: 'CleanAnswer',
    isLong: true,
    about: 'Removes saved work that was undone, discarded, or applied long ago.',
  },
  backup: {
    ...ONCE,
    path: '/v1/backup',
    request: 'BackupRequest',
    answer: 'BackupAnswer',
    about: 'Copies the ledger, as it is at one instant, to a file.',
  },
  describeApi: {
    ...READ,
    path: '/v1/openapi.json',
    request: 'Nothing',
    answer: 'Document',
    about: 'The OpenAPI 3.1 document of these calls.',
  },
} as const satisfies Readonly<Record<string, CallFacts>>;

export type CallName = keyof typeof CALLS;
/** The calls with one request and one answer. */
export type AnsweredName = {
  [Name in CallName]: (typeof CALLS)[Name] extends { readonly form: 'events' | 'lines' } ? never : Name;
}[CallName];

export const CALL_NAMES = Object.keys(CALLS) as readonly CallName[];
export const ANSWERED_NAMES = CALL_NAMES.filter((name): name is AnsweredName => {
  const { form } = factsOf(name);
  return form !== 'events' && form !== 'lines';
});

/** The facts of a call, without their literal types. */
export function factsOf(name: CallName): CallFacts {
  return CALLS[name];
}

/** The fields of a call's request that name tasks. */
export function taskFieldsOf(name: CallName): readonly string[] {
  const { names = [], path } = factsOf(name);
  return path.includes('{task}') ? [...names, 'task'] : names;
}
