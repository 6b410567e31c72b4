import * as z from 'zod';
import { RETRIES_ASKED_MAX } from '../../domain/limits.ts';
import type { ContinueRequest, OrderPlan, OrderRequest, RunTaskRequest } from '../../domain/order/order-request.ts';
import { WARNING_KINDS } from '../../domain/order/warning.ts';
import { REFUSALS, type RefusalCode } from '../../domain/refusal.ts';
import { STORY_KINDS } from '../../domain/trace/story-entry.ts';
import { count, flag, json, nullableText, shape, text, texts } from '../shape.ts';
import { taskView } from '../task/task-schemas.ts';
import { openVerdictFields, overlaps } from '../task/waiting-schemas.ts';
import type * as api from './order-contract.ts';

const outcome = z.enum(['passed', 'failed', 'could-not-run']);

export const orderPlan = shape<OrderPlan>({
  title: text,
  isProgram: flag,
  agent: z.object({ name: text, driver: text, provider: text, model: text }),
  chosen: text.optional(),
  workspace: text,
  git: z.object({ branch: nullableText, head: nullableText, changedFiles: count }).nullable(),
  workplace: z.enum(['in-place', 'worktree', 'waits', 'elsewhere']),
  heldBy: nullableText,
  readPaths: texts,
  writePaths: texts,
  programPaths: texts,
  sessionPaths: texts,
  beyond: z.object({ readPaths: texts, writePaths: texts, isWholeNetwork: flag }),
  network: text,
  hosts: texts,
  sandbox: z.enum(['bubblewrap', 'none']),
  sandboxMissing: nullableText,
  checks: texts,
  suggestedChecks: texts,
  timeoutSeconds: z.number(),
  retries: count,
  budgetUsd: z.number().nullable(),
  costsMoney: flag,
  warnings: texts,
});

const reportSummary = shape<api.ReportSummary>({
  run: nullableText,
  code: z.enum(Object.keys(REFUSALS) as RefusalCode[]).nullable(),
  message: text,
  commits: z.object({ before: nullableText, after: nullableText }),
  hint: nullableText,
  account: nullableText,
  warnings: z.array(z.object({ kind: z.enum(WARNING_KINDS), code: nullableText, path: nullableText, message: text })),
  durationMs: z.number(),
  runs: count,
  costUsd: z.number(),
  tokens: count,
});

const oldTests = z.object({ files: texts, added: texts.optional(), result: text, message: text });
const checkView = shape<api.CheckView>({
  id: text,
  kind: text,
  result: text,
  message: text,
  exitCode: z.int().nullable(),
  tail: text,
  durationMs: z.number(),
});

const receiptView = shape<api.ReceiptView>({
  file: text,
  verdict: z.enum(['valid', 'broken', 'unknown_key', 'stale']),
  reason: nullableText,
  keyId: nullableText,
  isOwnKey: flag,
  staleFiles: texts,
  content: json.nullable(),
});

export const ORDER_SCHEMAS = {
  OrderRequest: shape<OrderRequest>({
    text,
    workspace: text,
    agent: nullableText.optional(),
    checks: texts.optional(),
    timeoutSeconds: z.int().min(1).optional(),
    retries: z.int().min(0).max(RETRIES_ASKED_MAX).optional(),
    budgetUsd: z.number().min(0).optional(),
    net: texts.optional(),
    allow: texts.optional(),
    worktree: flag.optional(),
    reviewRequired: flag.optional(),
    on: texts.optional(),
    needs: texts.optional(),
    deadlineSeconds: z.int().min(1).optional(),
    origin: z.enum(['CLI', 'API']).optional(),
  }),
  ContinueRequest: shape<ContinueRequest>({
    task: text,
    text: text.optional(),
    agent: text.optional(),
    checks: texts.optional(),
    timeoutSeconds: z.int().min(1).optional(),
    retries: z.int().min(0).max(RETRIES_ASKED_MAX).optional(),
    budgetUsd: z.number().min(0).optional(),
  }),
  RunTaskRequest: shape<RunTaskRequest>({ task: text, agent: text.optional(), checks: texts.optional() }),
  PlanAgainRequest: shape<Pick<ContinueRequest, 'task' | 'agent' | 'budgetUsd'>>({
    task: text,
    agent: text.optional(),
    budgetUsd: z.number().min(0).optional(),
  }),
  DiffRequest: z.object({
    task: text,
    /** Only the text of this file, by its place in `files`; a long one is cut. */
    file: count.optional(),
    /** No text: the files alone. */
    list: flag.optional(),
  }),
  LogRequest: z.object({
    task: text,
    /** The position to continue from. */
    after: count.optional(),
    /** The page that ends before this position; a position behind the end is the last page. */
    before: count.optional(),
    /** The lines of the agents' programs as they printed them; a position in them is another one. */
    raw: flag.optional(),
  }),
  ApplyRequest: z.object({
    task: text,
    /** Commits the work on this new branch instead of writing it into the working tree. */
    branch: text.optional(),
    /** Keeps the agent's own commits on that branch. */
    commits: flag.optional(),
    /** Applies the work although git will execute a part of it. */
    yes: flag.optional(),
  }),
  UndoRequest: z.object({
    task: text,
    /** Undoes files too whose later changes overlap with the work, and saves those changes. */
    keep: flag.optional(),
  }),
  OrderPlan: orderPlan,
  OrderAnswer: shape<api.OrderAnswer>({ task: taskView, plan: orderPlan }),
  RunTaskAnswer: shape<api.RunTaskAnswer>({ task: taskView, plan: orderPlan.nullable() }),
  OrderReport: shape<api.OrderReport>({
    task: taskView,
    round: count,
    isOver: flag,
    ...openVerdictFields,
    response: json.nullable(),
    summary: reportSummary.nullable(),
    checks: z.array(
      z.object({
        id: text,
        before: outcome.nullable(),
        after: outcome,
        change: z.enum(['new failure', 'fixed', 'same as before', 'passed', 'still failing']),
      }),
    ),
    failures: z.array(z.object({ id: text, message: text, tail: text })),
    changed: z.array(z.object({ path: text, status: text })),
    git: texts,
    ignored: texts,
    receipt: z.object({ file: text, staleFiles: texts }).nullable(),
    handled: z.array(
      z.object({
        kind: z.enum(['applied', 'undone', 'discarded', 'continued']),
        by: text,
        folder: text,
        branch: nullableText,
        files: count,
        beside: texts,
        at: text,
      }),
    ),
    cleanedAt: nullableText,
    workplace: z.object({ kind: z.enum(['in-place', 'worktree']), folder: text }).nullable(),
  }),
  LogPage: shape<api.LogPage>({
    text,
    headings: z.array(count),
    entries: z.array(
      shape<api.LogEntry>({
        kind: z.enum(STORY_KINDS),
        at: nullableText,
        text,
        id: nullableText,
        name: nullableText,
        isSuccess: flag.nullable(),
        exitCode: z.number().nullable(),
        durationMs: z.number().nullable(),
      }),
    ),
    start: count,
    next: count,
    isEnd: flag,
  }),
  Evidence: shape<api.Evidence>({
    task: text,
    before: z.array(checkView),
    attempts: z.array(
      shape<api.AttemptView>({
        run: nullableText,
        agent: nullableText,
        startedAt: text,
        endedAt: nullableText,
        end: nullableText,
        message: nullableText,
        costUsd: z.number(),
        tokensInput: count,
        tokensOutput: count,
        changed: count.nullable(),
        checks: z.array(checkView),
      }),
    ),
    oldTests: oldTests.nullable(),
    receipt: receiptView.nullable(),
  }),
  DiffAnswer: shape<api.DiffAnswer>({
    task: text,
    inside: text,
    from: text,
    to: text,
    files: z.array(z.object({ path: text, status: text, added: count.nullable(), removed: count.nullable() })),
    git: texts,
    ignored: texts,
    text,
  }),
  WorkAnswer: shape<api.WorkAnswer>({
    task: text,
    folder: text,
    files: texts,
    branch: nullableText,
    commit: nullableText,
    keptAs: nullableText,
    keptIn: nullableText,
    saved: texts,
    git: texts,
    ignored: texts,
    asideFolder: nullableText,
    ofChecks: texts,
    savedIgnored: texts,
    left: texts,
    keptCommits: z.array(z.object({ name: text, commit: text, nested: text.optional() })),
    overlaps,
  }),
  VerifyAnswer: shape<api.VerifyAnswer>({
    task: text,
    isPassed: flag,
    oldTests: oldTests.nullable(),
    results: z.array(
      z.object({
        id: text,
        kind: text,
        result: text,
        message: text,
        why: text.optional(),
        exitCode: z.int().nullable(),
        tail: text,
      }),
    ),
  }),
} as const;
