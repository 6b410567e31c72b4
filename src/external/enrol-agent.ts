import type { Enrolment } from '../domain/external/external-agent.ts';
import { REFRESH_TOKEN_MS } from '../domain/external/external-limits.ts';
import { judgeRefresh, refuseInvite } from '../domain/external/judge-invite.ts';
import { expiryAfter } from '../domain/now.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import {
  insertEnrolment,
  insertRefreshToken,
  selectEnrolment,
  selectRefreshToken,
  useRefreshToken,
} from '../ledger/statements/external/enrolments.ts';
import { selectInviteByCode, useInvite } from '../ledger/statements/external/invites.ts';
import type { ProofUse } from '../ledger/statements/external/used-proofs.ts';
import type { Tx } from '../ledger/tx.ts';
import { type AuditedRefusal, recordDone, recordRefused, refuseProof, useProof } from './admit-call.ts';
import { endEnrolment } from './invite-agent.ts';

interface TokenRequest {
  readonly proof: ProofUse;
  /** The hash of the refresh token that is handed out. */
  readonly refreshHash: string;
  readonly address: string;
}

export interface InviteExchange extends TokenRequest {
  readonly codeHash: string;
}

export type EnrolledAgent = { readonly kind: 'enrolled'; readonly enrolment: Enrolment };

/** Exchanges an invite and a key for an enrolment. Of two exchanges of one invite, the first commit wins. */
export const exchangeInvite: Command<InviteExchange, EnrolledAgent | AuditedRefusal> = (tx, request) => {
  const { proof, codeHash, refreshHash, address } = request;
  const { now, ids } = tx.moment;
  const call = { operation: 'exchange', address, thumbprint: proof.thumbprint };
  const invite = selectInviteByCode(tx, codeHash);
  const refusal = refuseProof(tx, proof) ?? refuseInvite(invite, now);
  if (refusal || !invite)
    return recordRefused(tx, call, refusal ?? refuse('invalid_invite', 'this is no invite', '/invite'));
  const { agent, scopes } = invite;
  const enrolment: Enrolment = {
    id: `xs_${ids.ulid()}`,
    agent,
    thumbprint: proof.thumbprint,
    scopes,
    inviteId: invite.id,
    enrolledAt: now.wallMs,
    revokedAt: null,
    revokedWhy: null,
  };
  useProof(tx, proof);
  insertEnrolment(tx, enrolment);
  useInvite(tx, invite.id, enrolment.id);
  giveRefreshToken(tx, enrolment, refreshHash);
  const payload = { agent, keyId: proof.thumbprint, scopes, inviteId: invite.id, address };
  insertEvent(tx, { type: 'external.enrolled', actor: agent, taskId: null, sessionId: enrolment.id, payload });
  recordDone(tx, { ...call, actor: agent, sessionId: enrolment.id });
  return { kind: 'enrolled', enrolment };
};

export interface Refresh extends TokenRequest {
  readonly tokenHash: string;
}

/** Exchanges a refresh token for the next one. One that was exchanged before revokes the enrolment. */
export const refreshEnrolment: Command<Refresh, EnrolledAgent | AuditedRefusal> = (tx, request) => {
  const { proof, tokenHash, refreshHash, address } = request;
  const { thumbprint } = proof;
  const token = selectRefreshToken(tx, tokenHash);
  const enrolment = token && selectEnrolment(tx, token.enrolmentId);
  const replay = refuseProof(tx, proof);
  const verdict = judgeRefresh({ token, enrolment, thumbprint }, tx.moment.now);
  const isOwn = enrolment?.thumbprint === thumbprint;
  const who = isOwn ? { actor: enrolment.agent, sessionId: enrolment.id } : {};
  const call = { operation: 'refresh', address, thumbprint, ...who };
  if (replay) return recordRefused(tx, call, replay);
  if (verdict.kind !== 'rotate') {
    if (verdict.kind === 'reused')
      endEnrolment(tx, verdict.enrolment, { why: 'refresh_token_reused', actor: verdict.enrolment.agent });
    return recordRefused(tx, call, refusedToken(verdict.kind));
  }
  useProof(tx, proof);
  useRefreshToken(tx, tokenHash);
  giveRefreshToken(tx, verdict.enrolment, refreshHash);
  recordDone(tx, call);
  return { kind: 'enrolled', enrolment: verdict.enrolment };
};

function refusedToken(kind: 'reused' | 'refused'): Refusal {
  const message =
    kind === 'reused'
      ? 'this refresh token was used before: the agent is revoked, since somebody may have a copy'
      : 'this is no refresh token for this key, or it has ended';
  return refuse('invalid_refresh_token', message);
}

function giveRefreshToken(tx: Tx, { id }: Enrolment, hash: string): void {
  insertRefreshToken(tx, {
    hash,
    enrolmentId: id,
    expires: expiryAfter(tx.moment.now, REFRESH_TOKEN_MS),
    usedAt: null,
  });
}
