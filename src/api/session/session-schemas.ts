import * as z from 'zod';
import { RETRIES_ASKED_MAX, SESSIONS_PER_PAGE_MAX, SLOTS_SETTING_MAX } from '../../domain/limits.ts';
import { RISK_KINDS } from '../../domain/order/judge-risks.ts';
import { COMBINED_VERDICTS, WORK_VERDICTS } from '../../domain/order/work-verdict.ts';
import { EVIDENCE_KINDS } from '../../domain/session/session-report.ts';
import type {
  PlannedMember,
  ReopenRequest,
  SessionPlan,
  SessionRequest,
} from '../../domain/session/session-request.ts';
import { SESSION_PATTERNS } from '../../domain/session/session-terms.ts';
import { WORK_PLACES } from '../../domain/work/work-state.ts';
import { count, flag, json, nullableText, shape, text, texts } from '../shape.ts';
import type * as api from './session-contract.ts';

const signal = z.enum(['SUCCESS', 'PARTIAL_SUCCESS', 'FAILURE', 'ABORTED']).nullable();
const amount = z.number();
const nullableAmount = amount.nullable();
const limits = {
  budgetUsd: amount.min(0).optional(),
  deadlineSeconds: z.int().min(1).optional(),
  atOnce: z.int().min(1).max(SLOTS_SETTING_MAX).optional(),
};

const line = {
  session_id: text,
  name: text,
  state: z.enum(['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'ABORTED']),
  is_interrupted: flag,
  pattern: z.enum(SESSION_PATTERNS),
  final_signal: signal,
  verdict: z.enum(COMBINED_VERDICTS).nullable(),
  stopped: z.object({ cause: z.enum(['operator', 'budget', 'deadline']), by: text, message: text }).nullable(),
  totals: z.object({
    tasks: count,
    completed: count,
    failed: count,
    aborted: count,
    skipped: count,
    running: count,
    waiting: count,
  }),
  cost: amount,
  created_at: text,
  ended_at: nullableText,
};

export const sessionLines = z.array(shape<api.SessionLine>(line));

const plannedMember = shape<PlannedMember>({
  id: text,
  title: text,
  agent: text,
  chosen: text.optional(),
  after: texts,
  parent: nullableText,
  depth: count,
  checks: texts,
  workplace: z.enum(['in-place', 'worktree', 'waits']),
  worstUsd: nullableAmount,
  timeoutSeconds: amount,
  retries: count,
});

export const SESSION_SCHEMAS = {
  SessionRequest: shape<SessionRequest>({
    text,
    workspace: text,
    agent: nullableText.optional(),
    checks: texts.optional(),
    timeoutSeconds: z.int().min(1).optional(),
    retries: z.int().min(0).max(RETRIES_ASKED_MAX).optional(),
    net: texts.optional(),
    allow: texts.optional(),
    origin: z.enum(['CLI', 'API']).optional(),
    worktree: flag.optional(),
    reviewRequired: flag.optional(),
    ...limits,
  }),
  /** By its id, @ for the newest, or words of its id or name. */
  SessionReference: z.object({ session: text }),
  ReopenRequest: shape<ReopenRequest>({ session: text, ...limits }),
  SessionListRequest: z.object({
    /** The number to continue before. */
    before: count.optional(),
    limit: z.int().min(1).max(SESSIONS_PER_PAGE_MAX).optional(),
  }),
  SessionPlan: shape<SessionPlan>({
    sessionId: text,
    name: text,
    pattern: z.enum(SESSION_PATTERNS),
    isProgram: flag,
    tasks: z.array(plannedMember),
    worstUsd: nullableAmount,
    budgetUsd: nullableAmount,
    deadlineSeconds: nullableAmount,
    atOnce: count.nullable(),
    risks: z.array(z.object({ kind: z.enum(RISK_KINDS), fact: text, instead: text })),
    warnings: texts,
  }),
  SessionAnswer: shape<api.SessionAnswer>({ session_id: text, tasks: texts }),
  SessionPage: shape<api.SessionPage>({ sessions: sessionLines, next: count.nullable() }),
  SessionView: shape<api.SessionView>({
    ...line,
    evidence: z.array(z.object({ kind: z.enum(EVIDENCE_KINDS), task_id: text, id: text, text, details: texts })),
    to_apply: texts,
    tasks: z.array(
      shape<api.SessionTaskView>({
        task_id: text,
        id: text,
        title: text,
        agent: nullableText,
        state: z.enum(['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'ABORTED', 'SKIPPED']),
        final_signal: signal,
        verdict: z.enum(WORK_VERDICTS).nullable(),
        stopped_by: nullableText,
        error_code: nullableText,
        message: text,
        unchecked: flag,
        attempts: count,
        depends_on: texts,
        parent_task_id: nullableText,
        depth: count,
        duration_seconds: amount,
        cost: amount,
        work: z.enum(WORK_PLACES).nullable(),
        branch: nullableText,
      }),
    ),
    cost_summary: shape<api.CostSummaryView>({
      estimated_cost_usd: amount,
      actual_cost_usd: amount,
      tokens_input: count,
      tokens_output: count,
      by_provider: z.record(z.string(), amount),
      by_model: z.record(z.string(), amount),
    }),
    limits: z.object({ max_cost_usd: nullableAmount, deadline_seconds: nullableAmount, at_once: count.nullable() }),
  }),
  ApplySessionRequest: z.object({
    session: text,
    /** One commit on this new branch, and the files stay as they are. */
    branch: text.optional(),
    /** Also what git will execute. */
    yes: flag.optional(),
    /** The agent that gets a task to resolve the first conflict. */
    resolve: text.optional(),
  }),
  AppliedSession: shape<api.AppliedSession>({
    session_id: text,
    applied: z.array(shape<api.AppliedMember>({ task_id: text, id: text, files: texts })),
    branch: nullableText,
    commit: nullableText,
    conflict: shape<api.ApplyConflict>({
      task_id: text,
      id: text,
      code: text,
      message: text,
      details: texts,
      with: z.array(z.object({ task_id: text, id: text })),
      resolved_in: nullableText,
    }).nullable(),
    unchecked: texts,
    elsewhere: z.array(z.object({ task_id: text, id: text, work: z.enum(WORK_PLACES), branch: nullableText })),
    checks: z
      .object({ is_passed: flag, results: z.array(z.object({ id: text, result: text, message: text, tail: text })) })
      .nullable(),
  }),
  SessionReportAnswer: shape<api.SessionReportAnswer>({ session_id: text, report: json.nullable() }),
} as const;
