import * as z from 'zod';
import { REFUSALS, type RefusalCode } from '../domain/refusal.ts';
import { COMPLETION_OUTCOMES } from '../domain/resolve-completion.ts';
import { PRIORITIES } from '../domain/task.ts';
import { TASK_STATUSES } from '../domain/task-lifecycle.ts';
import { instant } from '../protocols/fields.ts';
import type * as api from './contract.ts';
import { count, flag, json, nullableText, shape, text, texts } from './shape.ts';
import type { TaskView } from './task-view.ts';

// Shapes only: the operations decide what a title or a name may hold, so every client gets the same refusals.

const status = z.enum(TASK_STATUSES);
const priority = z.enum(PRIORITIES);
const name = nullableText.optional();
const task = text;

const line = {
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
  createdAt: text,
  updatedAt: text,
  lastTransitionAt: text,
  createdBy: text,
  revision: count,
};
const view = { ...line, metadata: json, body: text };
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
  isCarried: flag,
};

export const taskView = shape<TaskView>(view);
const runView = shape<api.RunView>(run);
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

const reasoned = {
  reason: nullableText,
  cause: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('claimed') }),
      z.object({ kind: z.literal('retried') }),
      z.object({
        kind: z.literal('run-ended'),
        end: z.enum(['session_end', 'stale_heartbeat', 'machine_restarted']),
        outcome: z.enum(COMPLETION_OUTCOMES).nullable(),
      }),
      z.object({
        kind: z.literal('failed'),
        code: z.enum(Object.keys(REFUSALS) as RefusalCode[]),
        message: text,
      }),
    ])
    .nullable(),
};

const wait = { missingAgent: nullableText };

const described = {
  body: text.optional(),
  priority: priority.optional(),
  agent: name,
  role: name,
  tags: texts.optional(),
  resource: name,
  reviewRequired: flag.optional(),
};

const eventSelection = {
  since: instant().optional(),
  task: text.optional(),
  run: text.optional(),
  session: text.optional(),
  type: text.optional(),
};

export const TASK_SCHEMAS = {
  Nothing: shape<Readonly<Record<never, never>>>({}),
  TaskRequest: shape<api.TaskRequest>({ task }),
  NewTaskRequest: shape<api.NewTaskRequest>({
    title: text,
    ...described,
    team: name,
    parent: name,
    dependsOn: texts.optional(),
  }),
  TaskChange: shape<api.TaskChange>({ task, title: text.optional(), ...described, reason: name }),
  MoveRequest: shape<api.MoveRequest>({ task, to: status, reason: text.optional() }),
  CancelRequest: shape<api.CancelRequest>({ task, reason: text.optional() }),
  DependRequest: shape<api.DependRequest>({ task, on: texts }),
  RunRequest: shape<api.RunRequest>({ task, agent: text, run: name }),
  TaskListRequest: shape<api.TaskListRequest>({
    status: status.optional(),
    agent: text.optional(),
    parent: text.optional(),
    all: flag.optional(),
    after: count.optional(),
    limit: count.optional(),
  }),
  RunListRequest: shape<api.RunListRequest>({
    task: text.optional(),
    live: flag.optional(),
    after: text.optional(),
    limit: count.optional(),
  }),
  EventsRequest: shape<api.EventsRequest>({ ...eventSelection, after: count.optional(), limit: count.optional() }),
  FollowRequest: shape<api.FollowRequest>({ ...eventSelection, after: count.optional(), project: text.optional() }),
  MessageRequest: shape<api.MessageRequest>({ text, run: name }),
  TaskView: taskView,
  TaskDetail: shape<api.TaskDetail>({ ...view, ...reasoned, ...wait, file: text, runs: z.array(runView) }),
  TaskPage: shape<api.TaskPage>({ tasks: z.array(taskView), next: count.nullable() }),
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
    hint: nullableText,
    events: z.array(eventView),
    task: taskView.nullable(),
  }),
  StatusAnswer: shape<api.StatusAnswer>({
    data: text,
    counts: z.partialRecord(status, count),
    running: z.array(z.object({ ...line, run: runView.nullable() })),
    waiting: z.array(z.object({ ...line, ...wait })),
    needsYou: z.array(z.object({ ...line, ...reasoned })),
    incidents: z.array(z.object({ id: text, kind: text, taskId: nullableText, detail: text, openedAt: text })),
  }),
} as const;
