import { isAgentName } from '../domain/agent/agent.ts';
import type { Enrolment, Invite, RevocationReason, Scope } from '../domain/external/external-agent.ts';
import { INVITE_MS_MAX } from '../domain/external/external-limits.ts';
import { expiryAfter } from '../domain/now.ts';
import { refuse } from '../domain/refusal.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import {
  revokeEnrolment,
  selectEnrolment,
  selectEnrolments,
  selectEnrolmentsOf,
} from '../ledger/statements/external/enrolments.ts';
import {
  insertInvite,
  revokeInvite,
  selectInvite,
  selectInvites,
  selectOpenInvites,
} from '../ledger/statements/external/invites.ts';
import { selectLiveRunsOf } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Tx } from '../ledger/tx.ts';
import { closeRun } from '../operations/run/end-run.ts';

export interface NewInvite {
  readonly agent: string;
  readonly scopes: readonly Scope[];
  readonly ttlMs: number;
  /** The hash of its code: the code itself is never stored. */
  readonly codeHash: string;
}

/** Makes an invite for one agent name and some scopes. */
export const inviteAgent: Command<NewInvite, { readonly invite: Invite }> = (
  tx,
  { agent, scopes, ttlMs, codeHash },
) => {
  if (!isAgentName(agent))
    return refuse('invalid_argument', `${JSON.stringify(agent)} is no name for an agent`, '/agent');
  if (scopes.length === 0) return refuse('invalid_argument', 'an invite needs a scope', '/scopes');
  if (ttlMs <= 0 || ttlMs > INVITE_MS_MAX)
    return refuse('invalid_argument', `an invite lives at most ${INVITE_MS_MAX / 60_000} minutes`, '/ttlSeconds');
  const { now, ids } = tx.moment;
  const invite: Invite = {
    id: `inv_${ids.ulid()}`,
    agent,
    scopes,
    createdAt: now.wallMs,
    expires: expiryAfter(now, ttlMs),
    usedAt: null,
    revokedAt: null,
    enrolmentId: null,
  };
  insertInvite(tx, invite, codeHash);
  const payload = { inviteId: invite.id, agent, scopes, expiresAt: new Date(invite.expires.wallMs).toISOString() };
  insertEvent(tx, { type: 'external.invited', actor: OPERATOR, taskId: null, payload });
  return { invite };
};

export interface Revocation {
  /** An invite (`inv_…`), a session (`xs_…`), or all of both of an agent. */
  readonly who: string;
  /** The operator, or the external agent that asks for it. */
  readonly actor: string;
}

export interface RevokedAccess {
  readonly invites: readonly string[];
  readonly sessions: readonly string[];
  /** Tasks that a revoked agent held; they are free again. */
  readonly tasks: readonly TaskName[];
}

/** Ends invites and enrolments: their tokens count no more, and the leases of their agents end. */
export const revokeExternal: Command<Revocation, RevokedAccess> = (tx, { who, actor }) => {
  const invite = selectInvite(tx, who);
  const session = selectEnrolment(tx, who);
  const invites = invite ? [invite].filter(isOpen) : selectOpenInvites(tx, who);
  const sessions = session ? [session].filter(isOpen) : selectEnrolmentsOf(tx, who);
  if (invites.length + sessions.length === 0) {
    const refusal = refuse('invalid_argument', `nothing of ${JSON.stringify(who)} can be revoked`, '/who');
    return { ...refusal, hint: 'baton invite list shows open invites, baton agents shows enrolled agents' };
  }
  for (const { id, agent } of invites) {
    revokeInvite(tx, id);
    insertEvent(tx, { type: 'external.invite_revoked', actor, taskId: null, payload: { inviteId: id, agent } });
  }
  const tasks = sessions.flatMap((enrolment) => endEnrolment(tx, enrolment, { why: 'revoked', actor }).tasks);
  return { invites: invites.map(({ id }) => id), sessions: sessions.map(({ id }) => id), tasks };
};

function isOpen({ revokedAt, usedAt = null }: { revokedAt: number | null; usedAt?: number | null }): boolean {
  return revokedAt === null && usedAt === null;
}

/** After an older copy of the ledger came back, what was revoked since would count again, and used proofs would be unknown. */
export const revokeEverything: Command<object, { readonly sessions: number }> = (tx) => {
  const everything = Number.MAX_SAFE_INTEGER;
  const sessions = selectEnrolments(tx, false, everything);
  for (const { id } of selectInvites(tx, everything).filter(isOpen)) revokeInvite(tx, id);
  for (const enrolment of sessions) endEnrolment(tx, enrolment, { why: 'ledger_restored', actor: OPERATOR });
  return { sessions: sessions.length };
};

interface EnrolmentEnd {
  readonly why: RevocationReason;
  readonly actor: string;
}

/** Nobody beats for the runs of an agent that is gone: they end at once, as if it had said so. */
export function endEnrolment(
  tx: Tx,
  { id, agent, thumbprint }: Enrolment,
  { why, actor }: EnrolmentEnd,
): { readonly tasks: readonly TaskName[]; readonly events: readonly LedgerEvent[] } {
  revokeEnrolment(tx, id, why);
  const payload = { agent, keyId: thumbprint, why };
  const revoked = insertEvent(tx, { type: 'external.revoked', actor, taskId: null, sessionId: id, payload });
  const runs = selectEnrolmentsOf(tx, agent).length === 0 ? selectLiveRunsOf(tx, agent) : [];
  const ended = runs.flatMap((run) => {
    const task = selectTask(tx, run.taskId);
    return task ? closeRun(tx, { task, run }, 'session_end').events : [];
  });
  return { tasks: runs.map(({ taskId }) => taskId), events: [revoked, ...ended] };
}
