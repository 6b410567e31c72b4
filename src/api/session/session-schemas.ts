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
import { anyText, bool, json, nullableText, shape, texts, wholeNumber } from '../shape.ts';
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
  session_id: anyText,
  name: anyText,
  state: z.enum(['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'ABORTED']),
  is_interrupted: bool,
  pattern: z.enum(SESSION_PATTERNS),
  final_signal: signal,
  verdict: z.enum(COMBINED_VERDICTS).nullable(),
  stopped: z.object({ cause: z.enum(['operator', 'budget', 'deadline']), by: anyText, message: anyText }).nullable(),
  totals: z.object({
    tasks: wholeNumber,
    completed: wholeNumber,
    failed: wholeNumber,
    aborted: wholeNumber,
    skipped: wholeNumber,
    running: wholeNumber,
    waiting: wholeNumber,
  }),
  cost: amount,
  created_at: anyText,
  ended_at: nullableText,
};

export const sessionLines = z.array(shape<api.SessionLine>(line));

const plannedMember = shape<PlannedMember>({
  id: anyText,
  title: anyText,
  agent: anyText,
  chosen: anyText.optional(),
  after: texts,
  parent: nullableText,
  depth: wholeNumber,
  checks: texts,
  workplace: z.enum(['in-place', 'worktree', 'waits']),
  worstUsd: nullableAmount,
  timeoutSeconds: amount,
  retries: wholeNumber,
});

export const SESSION_SCHEMAS = {
  SessionRequest: shape<SessionRequest>({
    text: anyText,
    workspace: anyText,
    agent: nullableText.optional(),
    checks: texts.optional(),
    timeoutSeconds: z.int().min(1).optional(),
    retries: z.int().min(0).max(RETRIES_ASKED_MAX).optional(),
    net: texts.optional(),
    allow: texts.optional(),
    origin: z.enum(['CLI', 'API']).optional(),
    worktree: bool.optional(),
    reviewRequired: bool.optional(),
    ...limits,
  }),
  /** By its id, @ for the newest, or words of its id or name. */
  SessionReference: z.object({ session: anyText }),
  ReopenRequest: shape<ReopenRequest>({ session: anyText, ...limits }),
  SessionListRequest: z.object({
    /** The number to continue before. */
    before: wholeNumber.optional(),
    limit: z.int().min(1).max(SESSIONS_PER_PAGE_MAX).optional(),
  }),
  SessionPlan: shape<SessionPlan>({
    sessionId: anyText,
    name: anyText,
    pattern: z.enum(SESSION_PATTERNS),
    isProgram: bool,
    tasks: z.array(plannedMember),
    worstUsd: nullableAmount,
    budgetUsd: nullableAmount,
    deadlineSeconds: nullableAmount,
    atOnce: wholeNumber.nullable(),
    risks: z.array(z.object({ kind: z.enum(RISK_KINDS), fact: anyText, instead: anyText })),
    warnings: texts,
  }),
  SessionAnswer: shape<api.SessionAnswer>({ session_id: anyText, tasks: texts }),
  SessionPage: shape<api.SessionPage>({ sessions: sessionLines, next: wholeNumber.nullable() }),
  SessionView: shape<api.SessionView>({
    ...line,
    evidence: z.array(
      z.object({ kind: z.enum(EVIDENCE_KINDS), task_id: anyText, id: anyText, text: anyText, details: texts }),
    ),
    to_apply: texts,
    tasks: z.array(
      shape<api.SessionTaskView>({
        task_id: anyText,
        id: anyText,
        title: anyText,
        agent: nullableText,
        state: z.enum(['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'ABORTED', 'SKIPPED']),
        final_signal: signal,
        verdict: z.enum(WORK_VERDICTS).nullable(),
        stopped_by: nullableText,
        error_code: nullableText,
        message: anyText,
        unchecked: bool,
        attempts: wholeNumber,
        depends_on: texts,
        parent_task_id: nullableText,
        depth: wholeNumber,
        duration_seconds: amount,
        cost: amount,
        work: z.enum(WORK_PLACES).nullable(),
        branch: nullableText,
      }),
    ),
    cost_summary: shape<api.CostSummaryView>({
      estimated_cost_usd: amount,
      actual_cost_usd: amount,
      tokens_input: wholeNumber,
      tokens_output: wholeNumber,
      by_provider: z.record(z.string(), amount),
      by_model: z.record(z.string(), amount),
    }),
    limits: z.object({
      max_cost_usd: nullableAmount,
      deadline_seconds: nullableAmount,
      at_once: wholeNumber.nullable(),
    }),
  }),
  ApplySessionRequest: z.object({
    session: anyText,
    /** One commit on this new branch, and the files stay as they are. */
    branch: anyText.optional(),
    /** Also what git will execute. */
    yes: bool.optional(),
    /** The agent that gets a task to resolve the first conflict. */
    resolve: anyText.optional(),
  }),
  AppliedSession: shape<api.AppliedSession>({
    session_id: anyText,
    applied: z.array(shape<api.AppliedMember>({ task_id: anyText, id: anyText, files: texts })),
    branch: nullableText,
    commit: nullableText,
    conflict: shape<api.ApplyConflict>({
      task_id: anyText,
      id: anyText,
      code: anyText,
      message: anyText,
      details: texts,
      with: z.array(z.object({ task_id: anyText, id: anyText })),
      resolved_in: nullableText,
    }).nullable(),
    unchecked: texts,
    elsewhere: z.array(z.object({ task_id: anyText, id: anyText, work: z.enum(WORK_PLACES), branch: nullableText })),
    checks: z
      .object({
        is_passed: bool,
        results: z.array(z.object({ id: anyText, result: anyText, message: anyText, tail: anyText })),
      })
      .nullable(),
  }),
  SessionReportAnswer: shape<api.SessionReportAnswer>({ session_id: anyText, report: json.nullable() }),
} as const;
