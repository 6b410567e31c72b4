import { type Execution, lastRun } from '../../domain/execution/execution.ts';
import type { Claim } from '../../domain/execution/fact.ts';
import { decodeAop } from './decode.ts';
import type { ResponseMessage } from './schema/response.ts';

/** The claim of the agent of the last attempt, if it made one. */
export function lastClaim(execution: Execution): Claim | null {
  const end = lastRun(execution)?.end;
  return end?.kind === 'finished' || end?.kind === 'failed' ? end.claim : null;
}

/** The answer behind a claim; null where there is none that can be read. */
export function claimedResponse(claim: Claim | null): ResponseMessage | null {
  if (claim === null) return null;
  const verdict = decodeAop(claim.text, { requireFinalSignal: false, requireMinimalReport: false });
  return verdict.verdict === 'accepted' && verdict.kind === 'RESPONSE' ? (verdict.message as ResponseMessage) : null;
}
