import { claimOfSignal, verdictOfSignal } from '../order/record-words.ts';
import type { ReportedCheckpoint, ReportedFile } from '../order/report.ts';
import type { CombinedVerdict, WorkVerdict } from '../order/work-verdict.ts';
import type { OrderEnd, SessionReport } from '../session/session-report.ts';
import type { Fact } from './fact.ts';
import type { RestoredFile, RollbackTrigger } from './findings.ts';

// Facts of orders up to version 4, and those of sessions and exchanges of version 1, spell verdicts, claims and statuses as AOP
// does, and have a flag beside the verdict where `unchecked` is one now.

type Old = Readonly<Record<string, unknown>>;

export function liftVerdict(signal: unknown): CombinedVerdict {
  return known(verdictOfSignal(signal, false) as CombinedVerdict | null, signal);
}

const RESTORED: Readonly<Record<string, RestoredFile['status']>> = { SUCCESS: 'restored', FAILED: 'failed' };
const TRIGGERS: Readonly<Record<string, RollbackTrigger>> = { TASK_ABORTED: 'aborted', TASK_FAILED: 'failed' };

const FILES: Readonly<Record<string, ReportedFile['status']>> = {
  CREATED: 'created',
  UPDATED: 'updated',
  DELETED: 'deleted',
  UNCHANGED: 'unchanged',
};

const CHECKPOINTS: Readonly<Record<string, ReportedCheckpoint['status']>> = {
  PASS: 'passed',
  FAIL: 'failed',
  SKIP: 'skipped',
  PENDING: 'pending',
};

function knownIn<Word extends string>(words: Readonly<Record<string, Word>>, old: unknown): Word {
  return known(words[String(old)], old);
}

function known<Word>(word: Word | null | undefined, old: unknown): Word {
  if (word === undefined || word === null) throw new Error(`a fact has the unknown word ${String(old)}`);
  return word;
}

/** A fact of version 4 with the kernel's own words. */
export function fromVersion4(fact: Fact): Fact {
  const old = fact as unknown as Old;
  return { ...old, ...changedIn(old) } as unknown as Fact;
}

function changedIn(old: Old): Old {
  switch (old.kind) {
    case 'ordered':
      return { order: withPolicy(old.order as Old) };
    case 'ended':
      return { end: withClaim(old.end as Old) };
    case 'collected':
      return { changed: withStatus(FILES, old.changed) };
    case 'rolled-back':
      return { trigger: knownIn(TRIGGERS, old.trigger), files: withStatus(RESTORED, old.files) };
    case 'settled':
      return old.outcome ? { outcome: withVerdict(old.outcome as Old, 'signal') } : {};
    case 'reported':
      return old.report ? { report: liftReport(old.report as Old) } : {};
    default:
      return {};
  }
}

function withPolicy(order: Old): Old {
  const { requireFinalSignal: requireResult, ...policy } = order.policy as Old;
  return { ...order, policy: { ...policy, requireResult } };
}

function withClaim(holder: Old): Old {
  const { signal, ...claim } = (holder.claim ?? {}) as Old;
  if (!holder.claim) return holder;
  return { ...holder, claim: { ...claim, result: signal ? known(claimOfSignal(signal), signal) : null } };
}

function withStatus(words: Readonly<Record<string, string>>, files: unknown): readonly Old[] {
  return (files as readonly Old[]).map((file) => ({ ...file, status: knownIn(words, file.status) }));
}

/** The word is in the field of this name, and the flag beside it. */
function withVerdict(judged: Old, field: 'signal' | 'verdict'): Old {
  const { [field]: signal, isUnchecked, ...rest } = judged;
  const verdict: WorkVerdict = isUnchecked ? 'unchecked' : liftVerdict(signal);
  return { verdict, ...rest };
}

function liftReport(report: Old): Old {
  return {
    ...withClaim(withVerdict(report, 'verdict')),
    files: withStatus(FILES, report.files),
    checkpoints: withStatus(CHECKPOINTS, report.checkpoints),
    rollback: withStatus(RESTORED, report.rollback),
  };
}

/** The report of a session whose fact is of version 1. */
export function liftSessionReport(report: SessionReport): SessionReport {
  const members = report.members.map((member) => {
    return {
      ...member,
      end: member.end && (withVerdict(member.end as unknown as Old, 'signal') as unknown as OrderEnd),
    };
  });
  return { ...(withVerdict(report as unknown as Old, 'signal') as unknown as SessionReport), members };
}
