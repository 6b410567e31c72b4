import * as z from 'zod';
import { TASK_NAME } from '../domain/task/task.ts';
import type * as api from './contract.ts';
import { EXTERNAL_SCHEMAS } from './external/external-schemas.ts';
import { FEDERATION_SCHEMAS } from './federation/federation-schemas.ts';
import { ORDER_SCHEMAS } from './order/order-schemas.ts';
import { OVERVIEW_SCHEMAS } from './overview/overview-schemas.ts';
import { REPORT_SCHEMAS } from './overview/report-schemas.ts';
import { FEEDBACK_SCHEMAS } from './review/feedback-schemas.ts';
import { REVIEW_SCHEMAS } from './review/review-schemas.ts';
import { TALK_SCHEMAS } from './review/talk-schemas.ts';
import { SESSION_SCHEMAS } from './session/session-schemas.ts';
import { count, flag, json, nullableText, shape, text, texts } from './shape.ts';
import { TASK_SCHEMAS } from './task/task-schemas.ts';
import { TRACE_SCHEMAS } from './trace/trace-schemas.ts';

/** The schema of every request and answer, by the name that the table of calls uses for it. */
export const SCHEMAS = {
  ...TASK_SCHEMAS,
  ...ORDER_SCHEMAS,
  ...SESSION_SCHEMAS,
  ...TALK_SCHEMAS,
  ...REVIEW_SCHEMAS,
  ...REPORT_SCHEMAS,
  ...TRACE_SCHEMAS,
  ...OVERVIEW_SCHEMAS,
  ...FEEDBACK_SCHEMAS,
  ...FEDERATION_SCHEMAS,
  ...EXTERNAL_SCHEMAS,
  AgentList: shape<api.AgentList>({
    agents: z.array(
      shape<api.AgentView>({
        name: text,
        driver: text,
        provider: text,
        model: text,
        version: nullableText,
        ready: flag,
        reason: nullableText,
        loggedIn: flag.nullable(),
        sandboxed: flag,
        can: shape<api.AbilitiesView>({
          say: flag,
          resume: flag,
          askPermission: flag,
          usage: z.enum(['live', 'end', 'none']),
          thoughts: flag,
        }),
        role: text,
        isDefault: flag,
      }),
    ),
  }),
  SettledRequest: z.object({
    /** Names of tasks; absent for all. */
    tasks: z
      .array(
        text.refine((value) => TASK_NAME.test(value), {
          params: { kind: 'note', text: 'must be the name of a task, like TASK-2026-02-09-057' },
        }),
      )
      .optional(),
  }),
  SettledAnswer: shape<api.SettledAnswer>({ settled: flag }),
  CleanRequest: z.object({
    /** Work in the user's files stays undoable for so many days. */
    olderThanDays: count.optional(),
    /** Counts, and removes nothing. */
    dryRun: flag.optional(),
  }),
  CleanAnswer: shape<api.CleanAnswer>({
    dryRun: flag,
    olderThanDays: count,
    tasks: z.array(text),
    worktrees: count,
    shadows: count,
    objects: count,
    saved: count,
    bytes: count,
    kept: z.object({ running: count, waiting: count, undoable: count }),
  }),
  BackupRequest: z.object({
    /** An absolute path on the node's machine. */
    file: text,
    /** Replaces a file that is there. */
    force: flag.optional(),
    /** Adds the saved files behind diff and undo. */
    withWork: flag.optional(),
  }),
  BackupAnswer: shape<api.BackupAnswer>({
    file: text,
    bytes: count,
    sha256: text,
    tasks: count,
    events: count,
    files: count,
    leftOut: texts,
  }),
  RebuildAnswer: shape<api.RebuildAnswer>({
    from: z.literal('ledger'),
    data: text,
    tasks: count,
    failed: count,
    events: count,
  }),
  DashboardLink: shape<api.DashboardLink>({ id: text, url: text, expiresAt: text }),
  LinkRequest: z.object({ link: text }),
  LinkState: shape<api.LinkState>({ isUsed: flag }),
  DashboardToken: shape<api.DashboardToken>({ token: text }),
  Document: json,
  BatchLine: shape<api.BatchLine>({ call: text, request: json.optional(), key: text.optional() }),
  BatchAnswer: z.object({ answer: json.optional(), error: json.optional() }),
} as const;

export type ShapeName = keyof typeof SCHEMAS;
export type Shape<Name extends ShapeName> = z.infer<(typeof SCHEMAS)[Name]>;
