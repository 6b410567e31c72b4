import type { ExternalCaller, Scope } from '../domain/external/external-agent.ts';
import { USED_PROOF_KEPT_MS, USED_PROOFS_MAX } from '../domain/external/external-limits.ts';
import { expiryAfter } from '../domain/now.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import {
  insertAudit,
  type NewAuditRow,
  selectFirstCallAt,
  selectSessionsOfCorrelation,
  updateAuditAnswer,
} from '../ledger/statements/audit.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { selectEnrolment } from '../ledger/statements/external/enrolments.ts';
import {
  countProofUses,
  deleteEndedProofs,
  insertProofUse,
  isProofUsed,
  type ProofUse,
} from '../ledger/statements/external/used-proofs.ts';
import type { Reader, Tx } from '../ledger/tx.ts';

/** A refusal that is recorded, so the command that gives it has written. */
export interface AuditedRefusal {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  readonly corrId: string;
}

/** A call as far as it is known when it is judged. */
export interface AuditedCall extends Pick<NewAuditRow, 'operation' | 'address'> {
  readonly actor?: string | null;
  readonly sessionId?: string | null;
  readonly thumbprint?: string | null;
  readonly scope?: Scope | null;
  readonly task?: string | null;
  /** Given by the caller; null for a new one. */
  readonly corrId?: string | null;
  readonly key?: string | null;
  /** Refusals that were counted together; 1 if absent. */
  readonly times?: number;
}

export interface CallToAdmit {
  readonly caller: ExternalCaller;
  readonly call: AuditedCall;
  readonly proof: ProofUse;
  /** The agent chose the correlation of the call. */
  readonly isCorrelationGiven: boolean;
  /** The call was judged already, and may not be made; its proof is used up all the same. */
  readonly refusal: Refusal | null;
  /** Proofs that are remembered; a test has fewer. */
  readonly proofsMax?: number;
}

export interface AdmittedCall {
  readonly kind: 'admitted';
  /** Its number in the audit. */
  readonly n: number;
  readonly corrId: string;
  /** When the first call with the same key was made: now, unless this one repeats it. */
  readonly firstAt: number;
}

/** Uses the proof of a call up and records the call, in one commit and before it has any effect. */
export const admitCall: Command<CallToAdmit, AdmittedCall | AuditedRefusal> = (
  tx,
  { call, caller, proof, ...judged },
) => {
  const isReplayed = isProofUsed(tx, proof);
  const refusal =
    refuseRevoked(tx, caller) ??
    refuseProof(tx, proof, judged.proofsMax) ??
    judged.refusal ??
    (judged.isCorrelationGiven ? refuseCorrelation(tx, call) : null);
  if (refusal) {
    if (!isReplayed && refusal.code !== 'rate_limited') useProof(tx, proof);
    return recordRefused(tx, call, refusal);
  }
  useProof(tx, proof);
  const { sessionId = null, key = null } = call;
  const firstAt = sessionId !== null && key !== null ? selectFirstCallAt(tx, sessionId, key) : null;
  const { n, corrId } = recordAccepted(tx, call);
  return { kind: 'admitted', n, corrId, firstAt: firstAt ?? tx.moment.now.wallMs };
};

/** Between its authentication and now an agent may have been revoked. */
function refuseRevoked(tx: Reader, { sessionId }: ExternalCaller): Refusal | null {
  const isValid = selectEnrolment(tx, sessionId)?.revokedAt === null;
  return isValid ? null : revokedAgent();
}

export function revokedAgent(): Refusal {
  return { ...refuse('invalid_access_token', 'this agent was revoked'), hint: 'ask for a new invite' };
}

/** The node gives out correlations that begin with corr_: an agent uses those that it was given, or ids of its own. */
function refuseCorrelation(tx: Reader, { corrId = null, sessionId = null }: AuditedCall): Refusal | null {
  if (corrId === null) return null;
  const sessions = selectSessionsOfCorrelation(tx, corrId);
  const isTaken = sessions.length === 0 ? corrId.startsWith('corr_') : sessions.some((each) => each !== sessionId);
  return isTaken ? refuse('scope_denied', `${corrId} belongs to calls of somebody else`, '/corrId') : null;
}

/** Refuses a proof that was used before, and every proof while there is no room to remember it. Makes room first. */
export function refuseProof(tx: Tx, proof: ProofUse, max = USED_PROOFS_MAX): Refusal | null {
  deleteEndedProofs(tx, tx.moment.now, ENDED_PROOFS_AT_ONCE);
  if (isProofUsed(tx, proof)) return replayed();
  return countProofUses(tx) >= max ? refuse('rate_limited', 'too many proofs were used in the last minutes') : null;
}

export function replayed(): Refusal {
  return refuse('replay_detected', 'this proof was used before');
}

/** Each call makes room for more than itself. */
const ENDED_PROOFS_AT_ONCE = 20;

export function useProof(tx: Tx, proof: ProofUse): void {
  insertProofUse(tx, proof, expiryAfter(tx.moment.now, USED_PROOF_KEPT_MS));
}

function recordAccepted(tx: Tx, call: AuditedCall): { readonly n: number; readonly corrId: string } {
  const row = rowOf(tx, call);
  return { n: insertAudit(tx, { ...row, verdict: 'accepted', code: null }), corrId: row.corrId };
}

/** A refusal of an agent that was authenticated is an event too: a person should see it. */
export function recordRefused(tx: Tx, call: AuditedCall, refusal: Refusal): AuditedRefusal {
  const row = rowOf(tx, call);
  const { actor, sessionId, operation, corrId, scope, task, address } = row;
  insertAudit(tx, { ...row, verdict: 'refused', code: refusal.code });
  if (actor !== null && sessionId !== null) {
    const payload = { operation, scope, code: refusal.code, task, corrId, address };
    insertEvent(tx, { type: 'external.refused', actor, taskId: null, sessionId, payload });
  }
  return { kind: 'refused', refusal, corrId };
}

function rowOf(tx: Tx, call: AuditedCall): Omit<NewAuditRow, 'verdict' | 'code'> {
  const { operation, address, actor = null, sessionId = null, thumbprint = null, scope = null, task = null } = call;
  const corrId = call.corrId ?? `corr_${tx.moment.ids.ulid()}`;
  return {
    operation,
    address,
    actor,
    sessionId,
    thumbprint,
    scope,
    task,
    corrId,
    key: call.key ?? null,
    times: call.times ?? 1,
  };
}

/** For a call that ends in the commit that accepts it. */
export function recordDone(tx: Tx, call: AuditedCall): void {
  updateAuditAnswer(tx, recordAccepted(tx, call).n, DONE);
}

const DONE = 'done';

export interface RefusedCall {
  readonly call: AuditedCall;
  readonly refusal: Refusal;
}

/** Records a call that was refused before its proof counted. */
export const refuseCall: Command<RefusedCall, AuditedRefusal> = (tx, { call, refusal }) =>
  recordRefused(tx, call, refusal);

/** Records how the node answered a call: `done`, or the code of its refusal. */
export const endCall: Command<{ readonly n: number; readonly answer: string }, object> = (tx, { n, answer }) => {
  updateAuditAnswer(tx, n, answer);
  return {};
};
