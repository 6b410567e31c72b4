import { failureOfCode, recordCode } from '../failure-code.ts';
import type { ResultRecord } from '../remote/result-record.ts';
import type { SessionReport } from '../session/session-report.ts';
import type { Fact, Outcome } from './fact.ts';
import type { Workplace } from './findings.ts';

// Facts of orders up to version 5, and those of sessions up to version 2, have the codes of records. So does the record of a
// result on its way to another node.

type Old = Readonly<Record<string, unknown>>;
type Spell = (code: string) => string;

const toKernel: Spell = (code) => failureOfCode(code) ?? code;

/** Leaves alone everything that has no code. */
function withCode(holder: unknown, spell: Spell): unknown {
  const { code } = (holder ?? {}) as Old;
  return typeof code === 'string' ? { ...(holder as Old), code: spell(code) } : holder;
}

/** The end of an attempt, with the code of its claim. */
function withEnd(end: Old, spell: Spell): Old {
  const spelled = withCode(end, spell) as Old;
  return 'claim' in end ? { ...spelled, claim: withCode(end.claim, spell) } : spelled;
}

/** An outcome or a report, with the codes of the attempts before. */
function withAttempts(ended: Old, spell: Spell): Old {
  const attempts = (ended.attempts as readonly Old[] | undefined)?.map((attempt) => withCode(attempt, spell));
  return { ...(withCode(ended, spell) as Old), ...(attempts && { attempts }) };
}

/** A fact of version 5 with the kernel's own codes. */
export function fromVersion5(fact: Fact): Fact {
  const old = fact as unknown as Old;
  return { ...old, ...changedIn(old, toKernel) } as unknown as Fact;
}

function changedIn(old: Old, spell: Spell): Old {
  switch (old.kind) {
    case 'unanswered':
      return withCode(old, spell) as Old;
    case 'ended':
      return { end: withEnd(old.end as Old, spell) };
    case 'stop-requested':
      return old.why ? { why: withCode(old.why, spell) } : {};
    case 'settled':
      return old.outcome ? { outcome: withAttempts(old.outcome as Old, spell) } : {};
    case 'answered':
      return { answer: withCode(old.answer, spell) };
    case 'snapshotted':
      return old.workplace ? { workplace: withOutcomeThere(old.workplace as Old, spell) } : {};
    case 'reported':
      return old.report ? { report: withEnd(withAttempts(old.report as Old, spell), spell) } : {};
    default:
      return {};
  }
}

/** A workplace of work that another node did. */
function withOutcomeThere(workplace: Old, spell: Spell): Old {
  const { elsewhere } = workplace as { readonly elsewhere?: Old };
  if (!elsewhere) return workplace;
  return { ...workplace, elsewhere: { ...elsewhere, outcome: withCode(elsewhere.outcome, spell) } };
}

/** The report of a session whose fact is of version 2. */
export function liftSessionCodes(report: SessionReport): SessionReport {
  const members = report.members.map((member) => {
    return { ...member, end: withCode(member.end, toKernel) as typeof member.end };
  });
  return { ...report, members };
}

/** An outcome as events have it. */
export function recordedOutcome(outcome: Outcome): Omit<Outcome, 'code' | 'attempts'> {
  return withAttempts(outcome as unknown as Old, recordCode) as unknown as Outcome;
}

/** A workplace as events have it. */
export function recordedWorkplace(workplace: Workplace): object {
  return withOutcomeThere(workplace as unknown as Old, recordCode);
}

/** The record of a result as nodes send it. */
export function sentRecord(record: ResultRecord): object {
  const { ended, outcome } = record as unknown as { readonly ended: Old; readonly outcome: Old };
  const spelled = { ...ended, end: withEnd(ended.end as Old, recordCode) };
  return { ...record, ended: spelled, outcome: withAttempts(outcome, recordCode) };
}
