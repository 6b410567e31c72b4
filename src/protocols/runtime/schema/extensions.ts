import * as z from 'zod';
import { ANSWER_CHECKS_MAX } from '../../../domain/federation/federation-limits.ts';
import { AOP_DELEGATION_DEPTH_MAX, RETRIES_ASKED_MAX, TIMEOUT_SECONDS_SETTING_MAX } from '../../../domain/limits.ts';
import { NETWORK_LEVELS } from '../../../domain/order/access.ts';
import { REFUSALS, type RefusalCode } from '../../../domain/refusal.ts';
import { amount, count, id, text, textUpTo } from '../../fields.ts';

// Fields that Baton adds to the events of a task between its own nodes (runtime:tasks). Other programs may leave them out.

const CHECKS_MAX = 100;
const COMMAND_CHARACTERS_MAX = 4_000;
const HOSTS_MAX = 200;
const ANSWER_CHARACTERS_MAX = 8_000;

/** `x_order` of a task_create: the most that its sender grants. */
const grantSchema = z.object({
  network: z.enum(NETWORK_LEVELS),
  hosts: z.array(textUpTo(255)).max(HOSTS_MAX),
  budgetUsd: amount().nullable(),
  timeoutSeconds: z.int().min(1).max(TIMEOUT_SECONDS_SETTING_MAX),
  retries: z.int().min(0).max(RETRIES_ASKED_MAX),
  checks: z.array(textUpTo(COMMAND_CHARACTERS_MAX)).max(CHECKS_MAX),
  /** How many times it was delegated. */
  depth: z
    .int()
    .min(0)
    .max(AOP_DELEGATION_DEPTH_MAX + 1),
});

const checkSchema = z.object({
  id: text(),
  kind: z.enum(['check', 'output', 'checkpoint']),
  result: z.enum(['passed', 'failed', 'could-not-run', 'not-checkable']),
  message: textUpTo(ANSWER_CHARACTERS_MAX, 0),
  command: z.string().nullable(),
  exitCode: z.int().nullable(),
  tail: textUpTo(ANSWER_CHARACTERS_MAX, 0),
  durationMs: amount(),
});

/** `x_outcome` of a task_complete or task_failed: the findings of the node that ran it. */
const outcomeSchema = z.object({
  verdict: z.enum(['checked', 'unchecked', 'partial', 'failed', 'aborted']),
  code: z.enum(Object.keys(REFUSALS) as RefusalCode[]).nullable(),
  message: textUpTo(ANSWER_CHARACTERS_MAX, 0),
  summary: textUpTo(ANSWER_CHARACTERS_MAX, 0),
  before: z.array(checkSchema).max(ANSWER_CHECKS_MAX),
  after: z.array(checkSchema).max(ANSWER_CHECKS_MAX),
  spend: z.object({ costUsd: amount(), tokensInput: count(), tokensOutput: count() }),
  model: z
    .object({ provider: z.enum(['CLAUDE', 'CODEX', 'GEMINI', 'LOCAL', 'OTHER']), name: textUpTo(200, 0) })
    .nullable(),
});

export type GrantExtension = z.infer<typeof grantSchema>;
export type OutcomeExtension = z.infer<typeof outcomeSchema>;

/** Null where it is absent or not in this form: the sender is no Baton, or is up to something. */
export function readGrant(payload: object): GrantExtension | null {
  const read = grantSchema.safeParse((payload as { readonly x_order?: unknown }).x_order);
  return read.success ? read.data : null;
}

export function readOutcome(payload: object): OutcomeExtension | null {
  const read = outcomeSchema.safeParse((payload as { readonly x_outcome?: unknown }).x_outcome);
  return read.success ? read.data : null;
}

/** The name of the task on the node that accepted it. */
export function readTheirTask(payload: object): string | null {
  const read = id().safeParse((payload as { readonly x_task?: unknown }).x_task);
  return read.success ? read.data : null;
}
