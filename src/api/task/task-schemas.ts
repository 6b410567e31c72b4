import * as z from 'zod';
import { ACTIVITY_KINDS } from '../../domain/task/activity.ts';
import { TASK_ACTIONS } from '../../domain/task/list-actions.ts';
import { PRIORITIES } from '../../domain/task/task.ts';
import { TASK_STATUSES } from '../../domain/task/task-lifecycle.ts';
import { WORK_STATES } from '../../domain/work/work-state.ts';
import { instant } from '../../protocols/fields.ts';
import type * as api from '../contract.ts';
import { count, flag, json, nullableText, shape, text, texts } from '../shape.ts';
import type { TaskView } from './task-view.ts';
import {
  attentionList,
  openVerdictFields,
  overlaps,
  question,
  reasoned,
  remote,
  wait,
  waitingWork,
} from './waiting-schemas.ts';

// Shapes only: the operations decide what a title or a name may hold, so every client gets the same refusals.

const status = z.enum(TASK_STATUSES);
const priority = z.enum(PRIORITIES);
const name = nullableText.optional();
const task = text;

export const lineFields = {
  id: text,
  uid: text,
  title: text,
  status,
  priority,
  agent: nullableText,
  role: nullableText,
  team: nullableText,
  tags: texts,
  resource: nullableText,
  parentId: nullableText,
  dependsOn: texts,
  runId: nullableText,
  work: z.enum(WORK_STATES).nullable(),
  createdAt: text,
  updatedAt: text,
  lastTransitionAt: text,
  createdBy: text,
  revision: count,
};
const view = { ...lineFields, metadata: json, body: text };
const run = {
  id: text,
  fence: count,
  agent: text,
  status: text,
  startedAt: text,
  expiresAt: text,
  lastBeatAt: text,
  heartbeatExpiresAt: text,
  beats: count,
  endedAt: nullableText,
  outcome: nullableText,
  outcomeBy: nullableText,
  isCarried: flag,
  isInterrupted: flag,
  activity: shape<api.ActivityView>({ kind: z.enum(ACTIVITY_KINDS), text, since: text }).nullable(),
};

export const statusCounts = z.partialRecord(status, count);
export const statusMoves = z.record(status, z.array(status));
export const taskView = shape<TaskView>(view);
export const runView = shape<api.RunView>(run);
const eventView = shape<api.EventView>({
  eventId: count,
  type: text,
  timestamp: text,
  actor: text,
  taskId: nullableText,
  runId: nullableText,
  sessionId: nullableText,
  payload: json,
});

const described = {
  body: text.optional(),
  priority: priority.optional(),
  agent: name,
  role: name,
  tags: texts.optional(),
  resource: name,
  reviewRequired: flag.optional(),
  /** Commands that must pass after its agent; they take effect with its next round. */
  checks: texts.optional(),
};

const eventSelection = {
  /** Nothing older than this instant. */
  since: instant().optional(),
  task: text.optional(),
  run: text.optional(),
  session: text.optional(),
  /** Event types and prefixes such as task.*, separated by commas. */
  type: text.optional(),
};

export const TASK_SCHEMAS = {
  Nothing: shape<Readonly<Record<never, never>>>({}),
  TaskRequest: shape<api.TaskRequest>({ task }),
  NewTaskRequest: z.object({
    title: text,
    ...described,
    team: name,
    /** Any way of naming a task. */
    parent: name,
    dependsOn: texts.optional(),
    /** Other nodes, agents or agents of one node (emma@laptop) that may do it: the first to accept it does. */
    on: texts.optional(),
    /** Capabilities of the federation that its agent must have. */
    needs: texts.optional(),
    deadlineSeconds: z.int().min(1).optional(),
  }),
  TaskChange: z.object({ task, title: text.optional(), ...described, reason: name }),
  MoveRequest: z.object({ task, to: status, reason: text.optional() }),
  CancelRequest: z.object({ task, reason: text.optional() }),
  DependRequest: z.object({ task, on: texts }),
  RunRequest: z.object({
    task,
    agent: text,
    /** The call counts only if this run still holds the task; null and absent for any run. */
    run: name,
  }),
  TaskListRequest: z.object({
    status: status.optional(),
    agent: text.optional(),
    /** Only tasks that are routed to no agent. */
    unassigned: flag.optional(),
    parent: text.optional(),
    all: flag.optional(),
    /** Words of the title. */
    text: text.optional(),
    order: z.enum(['oldest', 'newest']).optional(),
    /** The row number to continue after, in that order. */
    after: count.optional(),
    limit: count.optional(),
  }),
  RunListRequest: z.object({
    task: text.optional(),
    /** Only runs that have not ended. */
    live: flag.optional(),
    /** The id of the run to continue after. */
    after: text.optional(),
    limit: count.optional(),
  }),
  EventsRequest: z.object({
    ...eventSelection,
    /** The eventId to continue after. */
    after: count.optional(),
    /** Leaves out this eventId and later ones. */
    before: count.optional(),
    /** `newest` begins at the end and goes back: continue with the last eventId as `before`. */
    order: z.enum(['oldest', 'newest']).optional(),
    limit: count.optional(),
  }),
  FollowRequest: z.object({
    ...eventSelection,
    /** The eventId to continue after; absent, the stream begins with the next event. */
    after: count.optional(),
    /** The project that the cursor belongs to. */
    project: text.optional(),
  }),
  MessageRequest: z.object({
    /** One message of any protocol. */
    text,
    /** The message counts only if this run still holds its task. */
    run: name,
  }),
  TaskView: taskView,
  TaskDetail: shape<api.TaskDetail>({
    ...view,
    ...reasoned,
    ...wait,
    actions: z.array(z.enum(TASK_ACTIONS)),
    file: text,
    runs: z.array(runView),
  }),
  TaskPage: shape<api.TaskPage>({
    tasks: z.array(shape<api.ListedTask>({ ...view, ...openVerdictFields })),
    next: count.nullable(),
  }),
  HeldTask: shape<api.HeldTask>({ task: taskView, run: runView }),
  RunPage: shape<api.RunPage>({
    runs: z.array(shape<api.TaskRunView>({ ...run, taskId: text })),
    next: nullableText,
  }),
  EventView: eventView,
  EventPage: shape<api.EventPage>({ events: z.array(eventView) }),
  SendAnswer: shape<api.SendAnswer>({
    verdict: z.enum(['accepted', 'refused', 'malformed', 'foreign']),
    code: nullableText,
    errors: z.array(z.object({ path: text, message: text })),
    warnings: z.array(z.object({ path: text, message: text, code: text })),
    hint: nullableText,
    events: z.array(eventView),
    task: taskView.nullable(),
  }),
  StatusAnswer: shape<api.StatusAnswer>({
    data: text,
    counts: statusCounts,
    running: z.array(z.object({ ...lineFields, run: runView.nullable(), overlaps, remote: remote.nullable() })),
    interruptedSessions: z.array(z.object({ id: text, name: text })),
    waiting: z.array(z.object({ ...lineFields, ...wait })),
    needsYou: z.array(z.object({ ...lineFields, ...reasoned })),
    attention: attentionList,
    questions: z.array(z.object({ ...question, title: text })),
    toApply: z.array(z.object({ ...lineFields, ...waitingWork })),
    totals: z.object({ needsYou: count, toApply: count }),
    incidents: z.array(z.object({ id: text, kind: text, taskId: nullableText, detail: text, openedAt: text })),
  }),
} as const;
