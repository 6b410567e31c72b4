import * as z from 'zod';
import { PRIORITIES } from '../../domain/task.ts';
import { TASK_STATUSES } from '../../domain/task-lifecycle.ts';
import { instant } from '../../protocols/fields.ts';
import type { MessageKind } from '../../protocols/judge-value.ts';

// The shapes of bodies and queries. Only the shape: what a title or a name may hold is the operations' to say, so that
// both clients hear the same.

const text = z.string();
const name = z.string().nullable().optional();
const list = z.array(z.string());
const flag = z.enum(['true', 'false']).optional();
/** A number of a query, no larger than one that can be counted to. */
const whole = z
  .string()
  .refine((value) => /^\d{1,15}$/.test(value), { params: { kind: 'note', text: 'must be a whole number' } })
  .optional();

const routing = { agent: name, role: name, resource: name };
const described = {
  ...routing,
  priority: z.enum(PRIORITIES).optional(),
  body: text.optional(),
  tags: list.optional(),
  reviewRequired: z.boolean().optional(),
};

export const NEW_TASK = shape({
  title: text,
  ...described,
  team: name,
  parent: name,
  dependsOn: list.optional(),
});
export const TASK_CHANGE = shape({ title: text.optional(), ...described, reason: name });
export const MOVE = shape({ to: z.enum(TASK_STATUSES), reason: text.optional() });
export const CANCEL = shape({ reason: text.optional() });
export const NOTHING = shape({});
export const DEPEND = shape({ on: list });
export const BY_AGENT = shape({ agent: text });
export const BACKUP = shape({ file: text, force: z.boolean().optional() });

export const ORDER = shape({
  text,
  workspace: text,
  agent: name,
  checks: list.optional(),
  timeoutSeconds: z.int().min(1).optional(),
  budgetUsd: z.number().min(0).optional(),
  net: list.optional(),
  worktree: z.boolean().optional(),
  reviewRequired: z.boolean().optional(),
});
export const APPLY = shape({ branch: text.optional() });
export const UNDO = shape({ keep: z.boolean().optional() });
export const NO_QUERY = shape({});
export const LOG_QUERY = shape({ after: whole });

export const CHANGE_QUERY = shape({ tree: z.enum(['wait']).optional() });
/** Names of tasks, with commas between. */
export const SETTLED_QUERY = shape({
  tasks: text
    .refine((value) => /^TASK-\d{4}-\d{2}-\d{2}-\d{3}(,TASK-\d{4}-\d{2}-\d{2}-\d{3})*$/.test(value), {
      params: { kind: 'note', text: 'must be names of tasks, like TASK-2026-02-09-057, with commas between' },
    })
    .optional(),
});
export const TASKS_QUERY = shape({
  status: z.enum(TASK_STATUSES).optional(),
  agent: text.optional(),
  parent: text.optional(),
  all: flag,
  after: whole,
  limit: whole,
});
export const RUNS_QUERY = shape({ task: text.optional(), live: flag, after: text.optional(), limit: whole });
export const EVENTS_QUERY = shape({
  after: whole,
  since: instant().optional(),
  task: text.optional(),
  run: text.optional(),
  session: text.optional(),
  type: text.optional(),
  project: text.optional(),
  limit: whole,
});

export type EventsQuery = typeof EVENTS_QUERY extends MessageKind<infer Query> ? Query : never;

function shape<Shape extends z.core.$ZodLooseShape>(fields: Shape): MessageKind<z.infer<z.ZodObject<Shape>>> {
  const schema = z.object(fields) as unknown as z.ZodType<z.infer<z.ZodObject<Shape>>>;
  const codeOf = () => 'invalid_argument';
  return { kind: 'request', schema, rules: [], advice: [], unknownFields: () => 'refuse', codeOf };
}
