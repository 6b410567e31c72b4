import * as z from 'zod';
import { RETRIES_ASKED_MAX } from '../../domain/limits.ts';
import type {
  ContinueRequest,
  OfferedPlan,
  OrderNeeds,
  OrderPlan,
  PlanOrderRequest,
  RunTaskRequest,
  SubmitOrderRequest,
} from '../../domain/order/order-request.ts';
import { WARNING_KINDS } from '../../domain/order/warning.ts';
import { REFUSALS, type Refusal, type RefusalCode } from '../../domain/refusal.ts';
import { STORY_KINDS } from '../../domain/trace/story-entry.ts';
import { anyText, bool, json, nullableText, shape, texts, wholeNumber } from '../shape.ts';
import { taskView } from '../task/task-schemas.ts';
import { openVerdictFields, overlaps } from '../task/waiting-schemas.ts';
import type * as api from './order-contract.ts';

const outcome = z.enum(['passed', 'failed', 'could-not-run']);

const planFields = {
  title: anyText,
  isProgram: bool,
  agent: z.object({ name: anyText, driver: anyText, provider: anyText, model: anyText }),
  chosen: anyText.optional(),
  workspace: anyText,
  git: z.object({ branch: nullableText, head: nullableText, changedFiles: wholeNumber }).nullable(),
  workplace: z.enum(['in-place', 'worktree', 'waits', 'elsewhere']),
  heldBy: nullableText,
  readPaths: texts,
  writePaths: texts,
  programPaths: texts,
  sessionPaths: texts,
  beyond: z.object({ readPaths: texts, writePaths: texts, isWholeNetwork: bool }),
  network: anyText,
  hosts: texts,
  sandbox: z.enum(['bubblewrap', 'none']),
  sandboxMissing: nullableText,
  checks: texts,
  suggestedChecks: texts,
  timeoutSeconds: z.number(),
  retries: wholeNumber,
  budgetUsd: z.number().nullable(),
  costsMoney: bool,
  warnings: texts,
};

export const orderPlan = shape<OrderPlan>(planFields);

const reportSummary = shape<api.ReportSummary>({
  run: nullableText,
  code: z.enum(Object.keys(REFUSALS) as RefusalCode[]).nullable(),
  message: anyText,
  commits: z.object({ before: nullableText, after: nullableText }),
  hint: nullableText,
  account: nullableText,
  warnings: z.array(
    z.object({ kind: z.enum(WARNING_KINDS), code: nullableText, path: nullableText, message: anyText }),
  ),
  durationMs: z.number(),
  runs: wholeNumber,
  costUsd: z.number(),
  tokens: wholeNumber,
});

const oldTests = z.object({ files: texts, added: texts.optional(), result: anyText, message: anyText });
const checkView = shape<api.CheckView>({
  id: anyText,
  kind: anyText,
  result: anyText,
  message: anyText,
  exitCode: z.int().nullable(),
  tail: anyText,
  durationMs: z.number(),
});

const receiptView = shape<api.ReceiptView>({
  file: anyText,
  verdict: z.enum(['valid', 'broken', 'unknown_key', 'stale']),
  reason: nullableText,
  keyId: nullableText,
  isOwnKey: bool,
  staleFiles: texts,
  content: json.nullable(),
});

const requestFields = {
  text: anyText,
  workspace: anyText,
  agent: nullableText.optional(),
  checks: texts.optional(),
  timeoutSeconds: z.int().min(1).optional(),
  retries: z.int().min(0).max(RETRIES_ASKED_MAX).optional(),
  budgetUsd: z.number().min(0).optional(),
  net: texts.optional(),
  allow: texts.optional(),
  worktree: bool.optional(),
  reviewRequired: bool.optional(),
  on: texts.optional(),
  needs: texts.optional(),
  deadlineSeconds: z.int().min(1).optional(),
  origin: z.enum(['CLI', 'API']).optional(),
};

const orderNeeds = shape<OrderNeeds>({
  readPaths: texts,
  writePaths: texts,
  isWholeNetwork: bool,
  yes: z.object({ allow: texts, net: texts }),
  refusal: json as unknown as z.ZodType<Refusal>,
});

export const ORDER_SCHEMAS = {
  PlanOrderRequest: shape<PlanOrderRequest>({ ...requestFields, isAttended: bool.optional() }),
  SubmitOrderRequest: shape<SubmitOrderRequest>({ ...requestFields, offer: anyText.optional() }),
  OfferedPlan: shape<OfferedPlan>({
    ...planFields,
    offer: z.object({ id: anyText, needs: orderNeeds.nullable() }).optional(),
  }),
  ContinueRequest: shape<ContinueRequest>({
    task: anyText,
    text: anyText.optional(),
    agent: anyText.optional(),
    checks: texts.optional(),
    timeoutSeconds: z.int().min(1).optional(),
    retries: z.int().min(0).max(RETRIES_ASKED_MAX).optional(),
    budgetUsd: z.number().min(0).optional(),
  }),
  RunTaskRequest: shape<RunTaskRequest>({ task: anyText, agent: anyText.optional(), checks: texts.optional() }),
  PlanAgainRequest: shape<Pick<ContinueRequest, 'task' | 'agent' | 'budgetUsd'>>({
    task: anyText,
    agent: anyText.optional(),
    budgetUsd: z.number().min(0).optional(),
  }),
  DiffRequest: z.object({
    task: anyText,
    /** Only the text of this file, by its place in `files`; a long one is cut. */
    file: wholeNumber.optional(),
    /** No text: the files alone. */
    list: bool.optional(),
  }),
  LogRequest: z.object({
    task: anyText,
    /** The position to continue from. */
    after: wholeNumber.optional(),
    /** The page that ends before this position; a position behind the end is the last page. */
    before: wholeNumber.optional(),
    /** The lines of the agents' programs as they printed them; a position in them is another one. */
    raw: bool.optional(),
  }),
  ApplyRequest: z.object({
    task: anyText,
    /** Commits the work on this new branch instead of writing it into the working tree. */
    branch: anyText.optional(),
    /** Keeps the agent's own commits on that branch. */
    commits: bool.optional(),
    /** Applies the work although git will execute a part of it. */
    yes: bool.optional(),
  }),
  UndoRequest: z.object({
    task: anyText,
    /** Undoes files too whose later changes overlap with the work, and saves those changes. */
    keep: bool.optional(),
  }),
  OrderPlan: orderPlan,
  OrderAnswer: shape<api.OrderAnswer>({ task: taskView, plan: orderPlan }),
  RunTaskAnswer: shape<api.RunTaskAnswer>({ task: taskView, plan: orderPlan.nullable() }),
  OrderReport: shape<api.OrderReport>({
    task: taskView,
    round: wholeNumber,
    isOver: bool,
    ...openVerdictFields,
    response: json.nullable(),
    summary: reportSummary.nullable(),
    checks: z.array(
      z.object({
        id: anyText,
        before: outcome.nullable(),
        after: outcome,
        change: z.enum(['new failure', 'fixed', 'same as before', 'passed', 'still failing']),
      }),
    ),
    failures: z.array(z.object({ id: anyText, message: anyText, tail: anyText })),
    changed: z.array(z.object({ path: anyText, status: anyText })),
    git: texts,
    ignored: texts,
    receipt: z.object({ file: anyText, staleFiles: texts }).nullable(),
    handled: z.array(
      z.object({
        kind: z.enum(['applied', 'undone', 'discarded', 'continued']),
        by: anyText,
        folder: anyText,
        branch: nullableText,
        files: wholeNumber,
        beside: texts,
        at: anyText,
      }),
    ),
    cleanedAt: nullableText,
    workplace: z.object({ kind: z.enum(['in-place', 'worktree']), folder: anyText }).nullable(),
  }),
  LogPage: shape<api.LogPage>({
    text: anyText,
    headings: z.array(wholeNumber),
    entries: z.array(
      shape<api.LogEntry>({
        kind: z.enum(STORY_KINDS),
        at: nullableText,
        text: anyText,
        id: nullableText,
        name: nullableText,
        isSuccess: bool.nullable(),
        exitCode: z.number().nullable(),
        durationMs: z.number().nullable(),
      }),
    ),
    start: wholeNumber,
    next: wholeNumber,
    isEnd: bool,
  }),
  Evidence: shape<api.Evidence>({
    task: anyText,
    before: z.array(checkView),
    attempts: z.array(
      shape<api.AttemptView>({
        run: nullableText,
        agent: nullableText,
        startedAt: anyText,
        endedAt: nullableText,
        end: nullableText,
        message: nullableText,
        costUsd: z.number(),
        tokensInput: wholeNumber,
        tokensOutput: wholeNumber,
        changed: wholeNumber.nullable(),
        checks: z.array(checkView),
      }),
    ),
    oldTests: oldTests.nullable(),
    receipt: receiptView.nullable(),
  }),
  DiffAnswer: shape<api.DiffAnswer>({
    task: anyText,
    inside: anyText,
    from: anyText,
    to: anyText,
    files: z.array(
      z.object({ path: anyText, status: anyText, added: wholeNumber.nullable(), removed: wholeNumber.nullable() }),
    ),
    git: texts,
    ignored: texts,
    text: anyText,
  }),
  WorkAnswer: shape<api.WorkAnswer>({
    task: anyText,
    folder: anyText,
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
    keptCommits: z.array(z.object({ name: anyText, commit: anyText, nested: anyText.optional() })),
    overlaps,
  }),
  VerifyAnswer: shape<api.VerifyAnswer>({
    task: anyText,
    isPassed: bool,
    oldTests: oldTests.nullable(),
    results: z.array(
      z.object({
        id: anyText,
        kind: anyText,
        result: anyText,
        message: anyText,
        why: anyText.optional(),
        exitCode: z.int().nullable(),
        tail: anyText,
      }),
    ),
  }),
} as const;
