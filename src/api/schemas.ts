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
import { anyText, bool, json, nullableText, shape, texts, wholeNumber } from './shape.ts';
import { TASK_SCHEMAS } from './task/task-schemas.ts';
import { STORY_SCHEMAS } from './trace/story-schemas.ts';
import { TRACE_SCHEMAS } from './trace/trace-schemas.ts';

/** The schema of every request and answer, by the name that the table of calls uses for it. */
export const SCHEMAS = {
  ...TASK_SCHEMAS,
  ...ORDER_SCHEMAS,
  ...SESSION_SCHEMAS,
  ...TALK_SCHEMAS,
  ...REVIEW_SCHEMAS,
  ...REPORT_SCHEMAS,
  ...STORY_SCHEMAS,
  ...TRACE_SCHEMAS,
  ...OVERVIEW_SCHEMAS,
  ...FEEDBACK_SCHEMAS,
  ...FEDERATION_SCHEMAS,
  ...EXTERNAL_SCHEMAS,
  AgentList: shape<api.AgentList>({
    agents: z.array(
      shape<api.AgentView>({
        name: anyText,
        driver: anyText,
        provider: anyText,
        model: anyText,
        version: nullableText,
        ready: bool,
        reason: nullableText,
        loggedIn: bool.nullable(),
        sandboxed: bool,
        can: shape<api.AbilitiesView>({
          say: bool,
          resume: bool,
          askPermission: bool,
          usage: z.enum(['live', 'end', 'none']),
          thoughts: bool,
        }),
        role: anyText,
        isDefault: bool,
      }),
    ),
  }),
  SettledRequest: z.object({
    /** Names of tasks; absent for all. */
    tasks: z
      .array(
        anyText.refine((value) => TASK_NAME.test(value), {
          params: { kind: 'note', text: 'must be the name of a task, like TASK-2026-02-09-057' },
        }),
      )
      .optional(),
  }),
  SettledAnswer: shape<api.SettledAnswer>({ settled: bool }),
  CleanRequest: z.object({
    /** Work in the user's files stays undoable for so many days. */
    olderThanDays: wholeNumber.optional(),
    /** Counts, and removes nothing. */
    dryRun: bool.optional(),
  }),
  CleanAnswer: shape<api.CleanAnswer>({
    dryRun: bool,
    olderThanDays: wholeNumber,
    tasks: z.array(anyText),
    worktrees: wholeNumber,
    shadows: wholeNumber,
    objects: wholeNumber,
    saved: wholeNumber,
    bytes: wholeNumber,
    kept: z.object({ running: wholeNumber, waiting: wholeNumber, undoable: wholeNumber }),
  }),
  BackupRequest: z.object({
    /** An absolute path on the node's machine. */
    file: anyText,
    /** Replaces a file that is there. */
    force: bool.optional(),
    /** Adds the saved files behind diff and undo. */
    withWork: bool.optional(),
  }),
  BackupAnswer: shape<api.BackupAnswer>({
    file: anyText,
    bytes: wholeNumber,
    sha256: anyText,
    tasks: wholeNumber,
    events: wholeNumber,
    files: wholeNumber,
    leftOut: texts,
  }),
  RebuildAnswer: shape<api.RebuildAnswer>({
    from: z.literal('ledger'),
    data: anyText,
    tasks: wholeNumber,
    failed: wholeNumber,
    events: wholeNumber,
  }),
  DashboardLink: shape<api.DashboardLink>({ id: anyText, url: anyText, expiresAt: anyText }),
  LinkRequest: z.object({ link: anyText }),
  LinkState: shape<api.LinkState>({ isUsed: bool }),
  DashboardToken: shape<api.DashboardToken>({ token: anyText }),
  Document: json,
  BatchLine: shape<api.BatchLine>({ call: anyText, request: json.optional(), key: anyText.optional() }),
  BatchAnswer: z.object({ answer: json.optional(), error: json.optional() }),
} as const;

export type ShapeName = keyof typeof SCHEMAS;
export type ShapeOf<Name extends ShapeName> = z.infer<(typeof SCHEMAS)[Name]>;
