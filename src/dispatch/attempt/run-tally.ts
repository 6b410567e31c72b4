import type { AgentSignal, FailureSignal, MalformedClaimSignal, UsageSignal } from '../../domain/agent/agent-signal.ts';
import { type QuotaHit, resetInstant } from '../../domain/agent/quota.ts';
import type { Claim } from '../../domain/execution/findings.ts';
import { LAST_WORDS_CHARACTERS_MAX } from '../../domain/limits.ts';
import type { Now } from '../../domain/now.ts';
import { MODEL_RETRY_MS_MAX } from '../../domain/process-limits.ts';
import type { EndedFact } from './attempt.ts';
import { complaintAfter } from './complaint.ts';
import { noAnswer } from './model-reach.ts';

interface Retrying {
  readonly since: number;
  readonly message: string;
  /** The HTTP status; null where there was no answer. */
  readonly status: number | null;
  readonly tries: number;
}

/** The signals of one run, added up. */
export interface RunTally {
  /** The last one. */
  readonly claim: Claim | null;
  /** The first one: no later claim makes up for it. */
  readonly malformed: MalformedClaimSignal | null;
  /** The first one that the agent reported, or that Baton concluded from its retries. */
  readonly failure: FailureSignal | null;
  /** The last refusal of the vendor, after which its model did not answer any more. */
  readonly quota: QuotaHit | null;
  /** Since the first retry after its model answered last; null while it answers. */
  readonly retrying: Retrying | null;
  /** The monotonic instant at which its work was over. */
  readonly finishedAt: number | null;
  /** The agent's last words about its work. */
  readonly summary: string | null;
  /** The end of what it said last, finished or not. */
  readonly lastWords: string | null;
  /** It printed something that its driver understands. */
  readonly isUnderstood: boolean;
  /** The last line before anything was understood that is not blank. */
  readonly lastOutput: string | null;
  /** The last line of its output that says what is wrong. */
  readonly complaint: string | null;
  /** The spend of this run alone. */
  readonly spend: EndedFact['spend'];
  readonly progress: EndedFact['progress'];
}

export const NOTHING_HEARD: RunTally = {
  claim: null,
  malformed: null,
  failure: null,
  quota: null,
  retrying: null,
  finishedAt: null,
  summary: null,
  lastWords: null,
  isUnderstood: false,
  lastOutput: null,
  complaint: null,
  spend: { costUsd: 0, tokens: 0, tokensInput: 0, tokensOutput: 0, tier: null },
  progress: null,
};

/** The tally after one more signal. */
export function addSignal(
  before: RunTally,
  signal: AgentSignal,
  { monotonicMs, wallMs }: Pick<Now, 'monotonicMs' | 'wallMs'>,
): RunTally {
  if (signal.kind === 'output') {
    const heard = { ...before, complaint: complaintAfter(before.complaint, signal.text) };
    return before.isUnderstood || signal.text.trim() === '' ? heard : { ...heard, lastOutput: signal.text };
  }
  if (signal.kind === 'beat') return before;
  const understood = before.isUnderstood ? before : { ...before, isUnderstood: true };
  const isServed = isAnswer(signal) && before.retrying !== null;
  const tally = isServed ? { ...understood, retrying: null, quota: null } : understood;
  switch (signal.kind) {
    case 'claim':
      return { ...tally, claim: signal.claim };
    case 'malformed-claim':
      return { ...tally, malformed: tally.malformed ?? signal };
    case 'usage':
      return { ...tally, spend: withUsage(tally.spend, signal) };
    case 'progress': {
      const { percentage } = signal;
      return percentage === null ? tally : { ...tally, progress: { at: wallMs, percentage } };
    }
    case 'words':
    case 'decisions':
      return { ...tally, lastWords: signal.text.slice(-LAST_WORDS_CHARACTERS_MAX) };
    case 'retrying': {
      const { message, status, resets = null } = signal;
      const retried = { ...tally, retrying: retryingAfter(tally, { message, status, monotonicMs }) };
      const resetsAt = resetInstant(resets, wallMs);
      // An agent that waits that long is ended, and its task waits without it.
      if (resetsAt === null || resetsAt - wallMs <= MODEL_RETRY_MS_MAX) return retried;
      return outOfQuota(retried, { message, resetsAt, scope: null });
    }
    case 'quota': {
      const { message, resets, scope } = signal;
      const resetsAt = resetInstant(resets, wallMs) ?? tally.quota?.resetsAt ?? null;
      return {
        ...tally,
        quota: { message, resetsAt, scope: scope ?? tally.quota?.scope ?? null },
        retrying: retryingAfter(tally, { message, status: 429, monotonicMs }),
      };
    }
    case 'failure':
      return { ...tally, failure: tally.failure ?? signal };
    case 'finished':
      return { ...tally, finishedAt: tally.finishedAt ?? monotonicMs, summary: signal.summary ?? tally.summary };
    default:
      return tally;
  }
}

function retryingAfter(
  { retrying }: RunTally,
  { message, status, monotonicMs }: Pick<Retrying, 'message' | 'status'> & Pick<Now, 'monotonicMs'>,
): Retrying {
  return { since: retrying?.since ?? monotonicMs, message, status, tries: (retrying?.tries ?? 0) + 1 };
}

function outOfQuota(tally: RunTally, quota: QuotaHit): RunTally {
  const failure: FailureSignal = { kind: 'failure', code: 'model-unavailable', message: quota.message };
  return { ...tally, quota, failure: tally.failure ?? failure };
}

/** Whether only a model that answers causes this signal. A turn does not: it may be told when the model fails. */
export function isAnswer({ kind }: AgentSignal): boolean {
  return ANSWERS.has(kind);
}

const ANSWERS: ReadonlySet<AgentSignal['kind']> = new Set([
  ...(['answering', 'thought', 'words', 'tool', 'claim', 'finished'] as const),
]);

/** A figure that the agent does not report keeps its earlier value. */
function withUsage(spend: RunTally['spend'], usage: UsageSignal): RunTally['spend'] {
  const tokensInput = usage.tokensInput ?? spend.tokensInput;
  const tokensOutput = usage.tokensOutput ?? spend.tokensOutput;
  const costUsd = usage.costUsd ?? spend.costUsd;
  return { costUsd, tokens: tokensInput + tokensOutput, tokensInput, tokensOutput, tier: usage.tier ?? spend.tier };
}

/**
 * The tally of a run whose model did not answer within its time. An agent that was refused once, for too many requests, and
 * then does not try for a minute waits for the reset that its vendor named, even if it does not say so.
 */
export function unavailable(tally: RunTally): RunTally {
  const { message: reason = '', status = null, tries = 0 } = tally.retrying ?? {};
  if (status === 429 && tries === 1 && tally.quota === null) {
    return outOfQuota(tally, { message: reason, resetsAt: null, scope: null });
  }
  return { ...tally, failure: tally.failure ?? noAnswer(reason, MODEL_RETRY_MS_MAX / 1_000) };
}

/** Whether the agent has answered, after these signs that came together: its bill comes with its answer. */
export function hasAnswered(before: boolean, signals: readonly AgentSignal[]): boolean {
  if (signals.some(({ kind }) => kind === 'claim' || kind === 'finished')) return true;
  return before && !signals.some(({ kind }) => SIGNS_OF_WORK.has(kind));
}

const SIGNS_OF_WORK: ReadonlySet<AgentSignal['kind']> = new Set(['thought', 'words', 'tool', 'usage', 'retrying']);
