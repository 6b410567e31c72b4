import { replay } from '../../domain/execution/execution.ts';
import type { Fact, VersionFallback } from '../../domain/execution/fact.ts';
import type { Claim } from '../../domain/execution/findings.ts';
import { liftFact } from '../../domain/execution/lift-fact.ts';
import { makeReport } from '../../domain/execution/make-report.ts';
import type { OrderTerms } from '../../domain/order/decide-order.ts';
import type { OrderWarning } from '../../domain/order/warning.ts';
import { decodeClaim } from './agent-signals.ts';
import { decodeAop } from './decode.ts';
import { orderOfTask } from './order-of-task.ts';
import type { VersionFallbackEvent } from './schema/events.ts';
import type { TaskMessage } from './schema/task.ts';

/** A round of a schema-5 ledger, which stored AOP messages and read the configuration again at each step. */
export interface AopRound {
  /** The TASK, as JSON. */
  readonly text: string;
  readonly settings: unknown;
  readonly at: number;
  readonly facts: readonly { readonly fact: object; readonly at: number }[];
}

/** How schema 5 stored what was not in the TASK. */
interface OldSettings {
  readonly checks: readonly string[];
  readonly isFallback: boolean;
  readonly wantsWorktree: boolean;
  readonly hosts: readonly string[];
}

/** The round as it is stored today: its order decided with the configuration of this moment, its messages as values. */
export function liftRound({ text, settings, at, facts }: AopRound, configured: OrderTerms): readonly Fact[] {
  const task = JSON.parse(text) as TaskMessage;
  const { checks, isFallback, wantsWorktree, hosts } = settings as OldSettings;
  const terms: OrderTerms = {
    ...configured,
    // The stored TASK has the caller's agent, timeout and cap already.
    agentName: null,
    timeoutSeconds: null,
    costUsdMax: null,
    origin: task.session.origin ?? configured.origin,
    checks,
    usualChecks: [],
    hosts: [...configured.hosts, ...hosts],
    worktree: { ...configured.worktree, isWanted: wantsWorktree },
  };
  const order = orderOfTask(task, terms, { isFallback });
  const lifted: Fact[] = [{ kind: 'ordered', order, message: task, at }];
  for (const old of facts) lifted.push(liftReport(old.fact, lifted) ?? liftMessages(old));
  return lifted;
}

/** Version 1 stored the RESPONSE itself. Its report follows from the other facts and from what Baton measured then. */
function liftReport(fact: object, before: readonly Fact[]): Fact | null {
  const { kind, response } = fact as { readonly kind: string; readonly response?: ResponseMessage };
  if (kind !== 'reported') return null;
  if (!response) throw new Error('an order was reported without a RESPONSE');
  const { agent, timing, execution_summary: summary } = response;
  const own = response.extensions?.x_baton as { readonly task: string; readonly receipt: string | null };
  const measured = (summary?.output_artifacts ?? []).flatMap(({ path, hash, size_bytes }) => {
    const sha256 = hash?.replace(/^sha256:/, '') ?? null;
    return path ? [{ path, sha256, sizeBytes: size_bytes ?? null }] : [];
  });
  const report = makeReport(replay(before), {
    agent,
    task: own.task,
    receipt: own.receipt,
    startedAt: Date.parse(timing?.started_at ?? ''),
    completedAt: Date.parse(timing?.completed_at ?? ''),
    measured,
  });
  return { kind: 'reported', report };
}

/** The RESPONSE of an agent, or Baton's own. */
type ResponseMessage = Parameters<typeof decodeClaim>[0];

type OldFact = Fact & { readonly message?: unknown };

/** Facts of version 1 held AOP messages and sentences where there are values now. */
function liftMessages({ fact, at }: { readonly fact: object; readonly at: number }): Fact {
  const lifted = liftFact(fact) as OldFact;
  switch (lifted.kind) {
    case 'admitted': {
      const { message, ...rest } = lifted;
      return { ...rest, warnings: warningsOf(lifted.warnings), fallback: message ? fallbackOf(message) : null };
    }
    case 'ended': {
      const { end } = lifted;
      const claim = 'claim' in end && end.claim ? liftClaim(end.claim) : null;
      return { ...lifted, warnings: warningsOf(lifted.warnings), end: 'claim' in end ? { ...end, claim } : end };
    }
    case 'rolled-back': {
      const { message, ...rest } = lifted;
      return { ...rest, commit: lifted.commit ?? null, at };
    }
    default:
      return lifted;
  }
}

function warningsOf(sentences: readonly unknown[]): readonly OrderWarning[] {
  return sentences.map((message) => {
    const isOpen = String(message).startsWith('not sandboxed');
    return { kind: isOpen ? 'not-sandboxed' : 'message', code: null, path: null, message: String(message) };
  });
}

/** The stored RESPONSE was accepted as it was printed; only its code and message were picked out of it. */
function liftClaim(claim: Claim): Claim {
  const verdict = decodeAop(claim.text, { requireFinalSignal: false, requireMinimalReport: false });
  if (verdict.verdict !== 'accepted' || verdict.kind !== 'RESPONSE') return claim;
  return { ...decodeClaim(verdict.message as ResponseMessage, claim.text), ...claim };
}

function fallbackOf(message: unknown): VersionFallback {
  const event = message as VersionFallbackEvent;
  return {
    reason: event.reason as VersionFallback['reason'],
    sessionId: event.session_id ?? null,
    taskId: event.task_id ?? null,
    fromVersion: event.from_version ?? 'unknown',
    errors: (event.errors ?? []).map(({ path, message: sentence }) => ({ path: path ?? '', message: sentence ?? '' })),
    inputPreview: event.input_preview ?? '',
    featuresLost: event.features_lost ?? [],
    timestamp: event.timestamp,
  };
}
