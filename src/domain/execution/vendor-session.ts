import type { Attempt } from './execution.ts';

/** A session of an agent's vendor that a new attempt continues. */
export interface ResumedSession {
  readonly id: string;
  /** Spend that earlier attempts in it were counted with. */
  readonly spent: { readonly costUsd: number; readonly tokensInput: number; readonly tokensOutput: number };
}

/** An id that cannot pass for a flag of the vendor's command line. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;

/**
 * The session that the last of these attempts, which begins now, continues: that of the same agent's last attempt. Null where
 * there is none, where the vendor did not take it up again, or where the agent broke down in it after it was resumed.
 */
export function sessionToResume(attempts: readonly Attempt[]): ResumedSession | null {
  const now = attempts.at(-1);
  const earlier = attempts.slice(0, -1).filter(({ agent, runId }) => runId !== null && agent === now?.agent);
  const last = earlier.findLast(({ session, resumed }) => session !== null || resumed !== null);
  if (!last || last.session === null || (last.resumed !== null && hasCrashed(last))) return null;
  if (!PLAIN_ID.test(last.session)) return null;
  const spends = earlier.flatMap(({ session, ended }) => (session === last.session && ended ? [ended.spend] : []));
  const sum = (figure: 'costUsd' | 'tokensInput' | 'tokensOutput') =>
    spends.reduce((total, spend) => total + spend[figure], 0);
  return {
    id: last.session,
    spent: { costUsd: sum('costUsd'), tokensInput: sum('tokensInput'), tokensOutput: sum('tokensOutput') },
  };
}

/**
 * Whether the vendor did not take up the session that the attempt was to resume: the agent ended with an error before it
 * opened any. Judged by what happened, since each vendor and version words it differently.
 */
export function isSessionRefused(attempt: Attempt): boolean {
  return attempt.resumed !== null && attempt.session === null && hasCrashed(attempt);
}

function hasCrashed({ end }: Attempt): boolean {
  return end?.kind === 'failed' && end.code === 'process-crashed' && end.isNotStarted !== true;
}
