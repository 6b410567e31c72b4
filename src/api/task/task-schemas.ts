import * as z from 'zod';
import { ACTIVITY_KINDS } from '../../domain/task/activity.ts';
import { TASK_ACTIONS } from '../../domain/task/list-actions.ts';
import { PRIORITIES } from '../../domain/task/task.ts';
import { TASK_STATUSES } from '../../domain/task/task-lifecycle.ts';
import { WORK_STATES } from '../../domain/work/work-state.ts';
import { instant } from '../../protocols/fields.ts';
import type * as api from '../contract.ts';
import { anyText, bool, json, nullableText, shape, texts, wholeNumber } from '../shape.ts';
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
const task = anyText;

export const lineFields = {
  id: anyText,
  uid: anyText,
  title: anyText,
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
  createdAt: anyText,
  updatedAt: anyText,
  lastTransitionAt: anyText,
  createdBy: anyText,
  revision: wholeNumber,
};
const view = { ...lineFields, metadata: json, body: anyText };
const run = {
  id: anyText,
  fence: wholeNumber,
  agent: anyText,
  status: anyText,
  startedAt: anyText,
  expiresAt: anyText,
  lastBeatAt: anyText,
  heartbeatExpiresAt: anyText,
  beats: wholeNumber,
  endedAt: nullableText,
  outcome: nullableText,
  outcomeBy: nullableText,
  isCarried: bool,
  isInterrupted: bool,
  activity: shape<api.ActivityView>({ kind: z.enum(ACTIVITY_KINDS), text: anyText, since: anyText }).nullable(),
};

export const statusCounts = z.partialRecord(status, wholeNumber);
export const statusMoves = z.record(status, z.array(status));
export const taskView = shape<TaskView>(view);
export const runView = shape<api.RunView>(run);
const eventView = shape<api.EventView>({
  eventId: wholeNumber,
  type: anyText,
  timestamp: anyText,
  actor: anyText,
  taskId: nullableText,
  runId: nullableText,
  sessionId: nullableText,
  payload: json,
});

const described = {
  body: anyText.optional(),
  priority: priority.optional(),
  agent: name,
  role: name,
  tags: texts.optional(),
  resource: name,
  reviewRequired: bool.optional(),
  /** Commands that must pass after its agent; they take effect with its next round. */
  checks: texts.optional(),
};

const eventSelection = {
  /** Nothing older than this instant. */
  since: instant().optional(),
  task: anyText.optional(),
  run: anyText.optional(),
  session: anyText.optional(),
  /** Event types and prefixes such as task.*, separated by commas. */
  type: anyText.optional(),
};

export const TASK_SCHEMAS = {
  Nothing: shape<Readonly<Record<never, never>>>({}),
  TaskRequest: shape<api.TaskRequest>({ task }),
  NewTaskRequest: z.object({
    title: anyText,
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
  TaskChange: z.object({ task, title: anyText.optional(), ...described, reason: name }),
  MoveRequest: z.object({ task, to: status, reason: anyText.optional() }),
  CancelRequest: z.object({ task, reason: anyText.optional() }),
  DependRequest: z.object({ task, on: texts }),
  RunRequest: z.object({
    task,
    agent: anyText,
    /** The call counts only if this run still holds the task; null and absent for any run. */
    run: name,
  }),
  TaskListRequest: z.object({
    status: status.optional(),
    agent: anyText.optional(),
    /** Only tasks that are routed to no agent. */
    unassigned: bool.optional(),
    parent: anyText.optional(),
    all: bool.optional(),
    /** Words of the title. */
    text: anyText.optional(),
    order: z.enum(['oldest', 'newest']).optional(),
    /** The row number to continue after, in that order. */
    after: wholeNumber.optional(),
    limit: wholeNumber.optional(),
  }),
  RunListRequest: z.object({
    task: anyText.optional(),
    /** Only runs that have not ended. */
    live: bool.optional(),
    /** The id of the run to continue after. */
    after: anyText.optional(),
    limit: wholeNumber.optional(),
  }),
  EventsRequest: z.object({
    ...eventSelection,
    /** The eventId to continue after. */
    after: wholeNumber.optional(),
    /** Leaves out this eventId and later ones. */
    before: wholeNumber.optional(),
    /** `newest` begins at the end and goes back: continue with the last eventId as `before`. */
    order: z.enum(['oldest', 'newest']).optional(),
    limit: wholeNumber.optional(),
  }),
  FollowRequest: z.object({
    ...eventSelection,
    /** The eventId to continue after; absent, the stream begins with the next event. */
    after: wholeNumber.optional(),
    /** The project that the cursor belongs to. */
    project: anyText.optional(),
  }),
  MessageRequest: z.object({
    /** One message of any protocol. */
    text: anyText,
    /** The message counts only if this run still holds its task. */
    run: name,
  }),
  TaskView: taskView,
  TaskDetail: shape<api.TaskDetail>({
    ...view,
    ...reasoned,
    ...wait,
    actions: z.array(z.enum(TASK_ACTIONS)),
    file: anyText,
    runs: z.array(runView),
  }),
  TaskPage: shape<api.TaskPage>({
    tasks: z.array(shape<api.ListedTask>({ ...view, ...openVerdictFields })),
    next: wholeNumber.nullable(),
  }),
  HeldTask: shape<api.HeldTask>({ task: taskView, run: runView }),
  RunPage: shape<api.RunPage>({
    runs: z.array(shape<api.TaskRunView>({ ...run, taskId: anyText })),
    next: nullableText,
  }),
  EventView: eventView,
  EventPage: shape<api.EventPage>({ events: z.array(eventView) }),
  SendAnswer: shape<api.SendAnswer>({
    verdict: z.enum(['accepted', 'refused', 'malformed', 'foreign']),
    code: nullableText,
    errors: z.array(z.object({ path: anyText, message: anyText })),
    warnings: z.array(z.object({ path: anyText, message: anyText, code: anyText })),
    hint: nullableText,
    events: z.array(eventView),
    task: taskView.nullable(),
  }),
  StatusAnswer: shape<api.StatusAnswer>({
    data: anyText,
    counts: statusCounts,
    running: z.array(z.object({ ...lineFields, run: runView.nullable(), overlaps, remote: remote.nullable() })),
    interruptedSessions: z.array(z.object({ id: anyText, name: anyText })),
    waiting: z.array(z.object({ ...lineFields, ...wait })),
    needsYou: z.array(z.object({ ...lineFields, ...reasoned })),
    attention: attentionList,
    questions: z.array(z.object({ ...question, title: anyText })),
    toApply: z.array(z.object({ ...lineFields, ...waitingWork })),
    totals: z.object({ needsYou: wholeNumber, toApply: wholeNumber }),
    incidents: z.array(
      z.object({ id: anyText, kind: anyText, taskId: nullableText, detail: anyText, openedAt: anyText }),
    ),
  }),
} as const;
