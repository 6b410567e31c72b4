import * as z from 'zod';
import { TASK_STATUSES } from '../../../domain/task-lifecycle.ts';
import { count, freeForm, id, instant, taskName, text } from '../../fields.ts';

/** aof:task-file: the front matter of a task file. Of a file written by hand id, title and status suffice. */
export const taskFrontMatterSchema = z.object({
  schemaVersion: z.literal(1).optional(),
  id: taskName(),
  uid: id().optional(),
  project: id().optional(),
  title: text(),
  status: z.enum(TASK_STATUSES),
  priority: z.enum(['critical', 'high', 'normal', 'low']).optional(),
  routing: z
    .object({
      agent: id().optional(),
      role: text().optional(),
      team: text().optional(),
      tags: z.array(text()).optional(),
    })
    .optional(),
  // The ledger holds the lease; the file shows it to people.
  lease: freeForm().optional(),
  createdAt: instant().optional(),
  updatedAt: instant().optional(),
  lastTransitionAt: instant().optional(),
  createdBy: id().optional(),
  parentId: taskName().optional(),
  dependsOn: z.array(taskName()).optional(),
  resource: text().optional(),
  // aof:merge: edits merge on it.
  revision: count(1).optional(),
  sla: freeForm().optional(),
  metadata: freeForm().optional(),
});

export type TaskFrontMatter = z.infer<typeof taskFrontMatterSchema>;

export interface TaskFile {
  readonly frontMatter: TaskFrontMatter;
  /** Markdown: everything after the line of the closing fence, byte for byte. */
  readonly body: string;
}
