import { type TaskAcceptEnvelope, taskAcceptSchema } from './task-accept.ts';
import { type TaskCompleteEnvelope, taskCompleteSchema } from './task-complete.ts';
import { type TaskCreateEnvelope, taskCreateSchema } from './task-create.ts';
import { type TaskFailedEnvelope, taskFailedSchema } from './task-failed.ts';
import { type TaskUpdateEnvelope, taskUpdateSchema } from './task-update.ts';

export type TaskEnvelope =
  | TaskCreateEnvelope
  | TaskAcceptEnvelope
  | TaskUpdateEnvelope
  | TaskCompleteEnvelope
  | TaskFailedEnvelope;

/** Runtime §4: the life of a task as events. */
export const TASK_EVENT_SCHEMAS = {
  task_create: taskCreateSchema,
  task_accept: taskAcceptSchema,
  task_update: taskUpdateSchema,
  task_complete: taskCompleteSchema,
  task_failed: taskFailedSchema,
} as const;
