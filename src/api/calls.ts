import { type CallSpec, CHANGE, ONCE, READ, REPEATABLE } from './call-spec.ts';
import { EXTERNAL_CALLS, PROVED_CALLS } from './external/external-call-table.ts';
import { FEDERATION_CALLS } from './federation/federation-call-table.ts';
import { ORDER_CALLS } from './order/order-call-table.ts';
import { DASHBOARD_CALLS } from './overview/dashboard-call-table.ts';
import { FEEDBACK_CALLS } from './review/feedback-call-table.ts';
import { REVIEW_CALLS } from './review/review-call-table.ts';
import { TALK_CALLS } from './review/talk-call-table.ts';
import { SESSION_CALLS } from './session/session-call-table.ts';
import { TASK_CALLS } from './task/task-call-table.ts';
import { TRACE_CALLS } from './trace/trace-call-table.ts';

/** Every call of a node, once. A new one costs a line here and its implementation; the compiler finds the places. */
export const CALLS = {
  status: {
    ...READ,
    path: '/v1/status',
    request: 'Nothing',
    answer: 'StatusAnswer',
    about: 'Counts the tasks and lists what runs, what waits and what needs a decision.',
  },
  search: {
    ...READ,
    path: '/v1/search',
    request: 'SearchRequest',
    answer: 'SearchAnswer',
    about: 'Finds tasks by words of their titles, and by the files that they changed.',
  },
  overview: {
    ...READ,
    path: '/v1/overview',
    request: 'Nothing',
    answer: 'Overview',
    about:
      'The first page of the dashboard: what needs a person, runs, waits and is finished today, and what today cost.',
  },
  ...TASK_CALLS,
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
  ...SESSION_CALLS,
  ...TALK_CALLS,
  ...FEDERATION_CALLS,
  ...EXTERNAL_CALLS,
  ...PROVED_CALLS,
  ...REVIEW_CALLS,
  ...TRACE_CALLS,
  ...FEEDBACK_CALLS,
  ...DASHBOARD_CALLS,
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
} as const satisfies Readonly<Record<string, CallSpec>>;

type OtherForm = 'events' | 'lines' | 'login' | 'proof' | 'proved-events';

export type CallName = keyof typeof CALLS;
/** The calls with one request and one answer. */
export type AnsweredName = {
  [Name in CallName]: (typeof CALLS)[Name] extends { readonly form: OtherForm } ? never : Name;
}[CallName];

export const CALL_NAMES = Object.keys(CALLS) as readonly CallName[];
export const ANSWERED_NAMES = CALL_NAMES.filter((name): name is AnsweredName => {
  const { form } = specOf(name);
  return form === undefined || form === 'message';
});

/** The entry of a call, without its literal types. */
export function specOf(name: CallName): CallSpec {
  return CALLS[name];
}

/** The fields of a call's request that name tasks. */
export function taskFieldsOf(name: CallName): readonly string[] {
  const { names = [], path } = specOf(name);
  return path.includes('{task}') ? [...names, 'task'] : names;
}
