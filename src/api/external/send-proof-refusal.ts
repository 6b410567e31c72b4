import type { FastifyReply } from 'fastify';
import { PROOF_ALGORITHMS } from '../../domain/external/external-agent.ts';
import type { Refusal, RefusalCode } from '../../domain/refusal.ts';
import { sendRefusal } from '../http/send-answer.ts';

const ALGORITHMS = PROOF_ALGORITHMS.join(' ');
const RETRY_AFTER_SECONDS = 60;

/** RFC 9449 §7.1 and RFC 6750 §3.1: the error that WWW-Authenticate names for each code. */
const CHALLENGES: Partial<Readonly<Record<RefusalCode, string>>> = {
  use_dpop_nonce: 'use_dpop_nonce',
  invalid_dpop_proof: 'invalid_dpop_proof',
  invalid_access_token: 'invalid_token',
  expired_access_token: 'invalid_token',
  invalid_invite: 'invalid_grant',
  expired_invite: 'invalid_grant',
  invalid_refresh_token: 'invalid_grant',
  scope_denied: 'insufficient_scope',
};

/** Sends a refusal as a client of RFC 9449 expects it. */
export function sendProofRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const challenge = CHALLENGES[refusal.code];
  if (challenge !== undefined) reply.header('www-authenticate', `DPoP error="${challenge}", algs="${ALGORITHMS}"`);
  if (refusal.code === 'rate_limited') reply.header('retry-after', RETRY_AFTER_SECONDS);
  return sendRefusal(reply, refusal);
}
