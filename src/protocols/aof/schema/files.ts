import * as z from 'zod';
import { TASK_STATUSES } from '../../../domain/task/task-lifecycle.ts';
import { count, freeForm, id, instant, taskName, text } from '../../fields.ts';
import type { AofFileKind } from '../file-kinds.ts';
import {
  blockersSchema,
  deliverablesSchema,
  type Handoff,
  handoffSchema,
  notesSchema,
  outcomeSchema,
  testReportSchema,
} from './messages.ts';

/** AOF/1, Artifacts: run.json, written when a lease is acquired. aof:task-file accepts `output` beside `outputs`. */
const runSchema = z.object({
  taskId: taskName(),
  agentId: id(),
  startedAt: instant(),
  status: z.enum(['running', 'completed', 'failed', 'abandoned']),
  artifactPaths: z
    .object({
      inputs: text().optional(),
      work: text().optional(),
      output: text().optional(),
      outputs: text().optional(),
    })
    .optional(),
  metadata: freeForm().optional(),
});

export type AofRun = z.infer<typeof runSchema>;

/** AOF/1, Artifacts: run_heartbeat.json. */
const runHeartbeatSchema = z.object({
  taskId: taskName(),
  agentId: id(),
  lastHeartbeat: instant(),
  beatCount: count(),
  expiresAt: instant(),
});

export type AofRunHeartbeat = z.infer<typeof runHeartbeatSchema>;

/** AOF/1, run_result.json Schema. Agents may write it themselves (aof:own-result). A report has no handoffRef. */
export const runResultSchema = z.object({
  taskId: taskName(),
  agentId: id(),
  completedAt: instant(),
  outcome: outcomeSchema,
  summaryRef: text(),
  handoffRef: text().optional(),
  deliverables: deliverablesSchema.optional(),
  tests: testReportSchema,
  blockers: blockersSchema.optional(),
  notes: notesSchema,
});

export type AofRunResult = z.infer<typeof runResultSchema>;

/** aof:event-lines: one line of events/YYYY-MM-DD.jsonl. The event of an undecodable message has no task. */
const eventSchema = z.object({
  eventId: count(1),
  type: text(),
  timestamp: instant(),
  actor: id(),
  taskId: taskName().optional(),
  payload: freeForm().optional(),
});

export type AofEvent = z.infer<typeof eventSchema>;

/** aof:task-file: the front matter of a task file. In a file written by hand id, title and status suffice. */
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
  // aof:merge: edits merge on the revision.
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

/** The files of the tree. Of a task file only the front matter has a schema. */
export const FILE_SCHEMAS = {
  run: runSchema,
  run_heartbeat: runHeartbeatSchema,
  run_result: runResultSchema,
  handoff: handoffSchema,
  task: taskFrontMatterSchema,
  event: eventSchema,
} as const satisfies Record<AofFileKind, unknown>;

export type AofArtifact = AofRun | AofRunHeartbeat | AofRunResult | Handoff | AofEvent;

export type AofFile = AofArtifact | TaskFile;
