// Requests and answers about external agents.
import type { OperationName, RevocationReason, Scope } from '../../domain/external/external-agent.ts';

/** An invite when it is made: its code is shown this once. */
export interface CreatedInvite {
  readonly id: string;
  /** The code. */
  readonly invite: string;
  readonly agent: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string;
  /** The address for the agent; null while no node stays on. */
  readonly url: string | null;
  /** With TLS, the fingerprint of the node's certificate. */
  readonly certSha256: string | null;
}

export interface InviteView {
  readonly id: string;
  readonly agent: string;
  readonly scopes: readonly Scope[];
  readonly state: 'open' | 'used' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly usedAt: string | null;
  /** The session that it was used for. */
  readonly sessionId: string | null;
}

export interface InviteList {
  readonly invites: readonly InviteView[];
}

/** The key of an external agent, and what it may do. */
export interface ExternalAgentView {
  readonly agent: string;
  readonly sessionId: string;
  /** RFC 7638, SHA-256 in base64url: compare it with what the agent shows. */
  readonly keyThumbprint: string;
  readonly scopes: readonly Scope[];
  readonly state: 'enrolled' | 'revoked';
  readonly enrolledAt: string;
  readonly lastCallAt: string | null;
  readonly revokedAt: string | null;
  readonly revokedWhy: RevocationReason | null;
  readonly inviteId: string;
  /** Tasks that the agent holds now. */
  readonly holds: readonly string[];
}

export interface ExternalAgentList {
  readonly agents: readonly ExternalAgentView[];
}

export interface RevokeAnswer {
  readonly invites: readonly string[];
  readonly sessions: readonly string[];
  /** Tasks that were held by a revoked agent. */
  readonly tasks: readonly string[];
}

/** One call of somebody outside, as it was judged. */
export interface AuditView {
  readonly n: number;
  readonly at: string;
  readonly verdict: 'accepted' | 'refused';
  readonly code: string | null;
  /** How an accepted call ended: `done`, or the code with which it was answered; null while it is under way. */
  readonly answer: string | null;
  readonly actor: string | null;
  readonly sessionId: string | null;
  readonly keyThumbprint: string | null;
  readonly scope: Scope | null;
  readonly operation: string;
  readonly task: string | null;
  readonly corrId: string;
  readonly address: string;
  /** More than one for refusals that were counted together. */
  readonly times: number;
}

export interface AuditPage {
  readonly entries: readonly AuditView[];
  /** `after` of the next page; null after the last. */
  readonly next: number | null;
}

/** Tokens for an enrolment, named as in OAuth 2.0. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'DPoP';
  readonly expires_in: number;
  /** Separated by spaces. */
  readonly scope: string;
  readonly client_id: string;
  readonly agent: string;
  readonly session_id: string;
  readonly refresh_token: string;
  readonly refresh_expires_in: number;
}

/** A token that is narrowed to one task; there is no refresh token for it. */
export interface ContextAnswer extends Omit<TokenAnswer, 'refresh_token' | 'refresh_expires_in'> {
  readonly task: string;
}

export interface InvokeAnswer {
  readonly operation: OperationName;
  readonly corrId: string;
  readonly sessionId: string;
  readonly result: Readonly<Record<string, unknown>>;
}
