import { hasExpired, type Now } from '../now.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Enrolment, Invite, RefreshToken } from './external-agent.ts';

/** Refuses an invite that cannot be exchanged now. One that was used says so for as long as it is remembered. */
export function refuseInvite(invite: Invite | null, now: Now): Refusal | null {
  if (invite === null || invite.revokedAt !== null)
    return refuse('invalid_invite', 'this is no invite of this node', '/invite');
  if (invite.usedAt !== null) return refuse('invite_used', 'this invite was used already', '/invite');
  return hasExpired(invite.expires, now) ? refuse('expired_invite', 'this invite has expired', '/invite') : null;
}

export interface RefreshFacts {
  /** Null for a text that was never a refresh token here. */
  readonly token: RefreshToken | null;
  readonly enrolment: Enrolment | null;
  /** The thumbprint of the key that signed the proof. */
  readonly thumbprint: string;
}

export type RefreshVerdict =
  | { readonly kind: 'rotate'; readonly enrolment: Enrolment }
  /** The holder of the key shows a token that it has exchanged before: somebody else has a copy of both. */
  | { readonly kind: 'reused'; readonly enrolment: Enrolment }
  | { readonly kind: 'refused' };

/** Whoever lacks the key can neither use a refresh token nor revoke anything by an old one. */
export function judgeRefresh({ token, enrolment, thumbprint }: RefreshFacts, now: Now): RefreshVerdict {
  if (token === null || enrolment === null || enrolment.revokedAt !== null) return { kind: 'refused' };
  if (enrolment.thumbprint !== thumbprint || hasExpired(token.expires, now)) return { kind: 'refused' };
  return { kind: token.usedAt === null ? 'rotate' : 'reused', enrolment };
}
