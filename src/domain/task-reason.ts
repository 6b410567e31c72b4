import { COMPLETION_OUTCOMES, type CompletionOutcome } from './resolve-completion.ts';

/** Why a run is over: its agent said so or exited, its heartbeat stopped, or the machine restarted. */
export type RunEnd = (typeof RUN_ENDS)[number];

const RUN_ENDS = ['session_end', 'stale_heartbeat', 'machine_restarted'] as const;
const NO_REPORT = 'reclaim';
/** The code of a failure of which nothing more is known. */
const PLAIN_FAILURE = 'E_UNKNOWN: ';

/** A reason for a transition that Baton itself writes; every other reason is text of an operator or an agent. */
export type OwnReason =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'retried' }
  /** outcome is null where the run reported nothing. */
  | { readonly kind: 'run-ended'; readonly end: RunEnd; readonly outcome: CompletionOutcome | null }
  | { readonly kind: 'failed'; readonly message: string };

/** The text that the ledger and the tree store. */
export function encodeReason(reason: OwnReason): string {
  switch (reason.kind) {
    case 'claimed':
      return 'claim';
    case 'retried':
      return 'retry';
    case 'run-ended':
      return `${reason.end}_${reason.outcome ?? NO_REPORT}`;
    case 'failed':
      return `${PLAIN_FAILURE}${reason.message}`;
  }
}

/** Null for a text that encodeReason did not write. */
export function decodeReason(text: string): OwnReason | null {
  if (text === 'claim') return { kind: 'claimed' };
  if (text === 'retry') return { kind: 'retried' };
  if (text.startsWith(PLAIN_FAILURE)) return { kind: 'failed', message: text.slice(PLAIN_FAILURE.length) };
  const end = RUN_ENDS.find((each) => text.startsWith(`${each}_`));
  if (end === undefined) return null;
  const rest = text.slice(end.length + 1);
  const outcome = COMPLETION_OUTCOMES.find((each) => each === rest);
  return outcome || rest === NO_REPORT ? { kind: 'run-ended', end, outcome: outcome ?? null } : null;
}
