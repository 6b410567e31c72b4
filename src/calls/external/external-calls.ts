import { createHash } from 'node:crypto';
import type { EXTERNAL_CALLS } from '../../api/external/external-call-table.ts';
import type { AuditView, CreatedInvite, ExternalAgentView, InviteView } from '../../api/external/external-contract.ts';
import type { Calls, RequestOf } from '../../api/node-client.ts';
import { type Enrolment, type Invite, isScope, SCOPES } from '../../domain/external/external-agent.ts';
import { AUDIT_PER_PAGE_MAX, INVITE_MS_MAX } from '../../domain/external/external-limits.ts';
import { hasExpired } from '../../domain/now.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import { inviteAgent, revokeExternal } from '../../external/invite-agent.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type AuditRow, selectAudit, selectLastCallAt } from '../../ledger/statements/audit.ts';
import { selectEnrolments } from '../../ledger/statements/external/enrolments.ts';
import { selectInvites } from '../../ledger/statements/external/invites.ts';
import { selectLiveRunsOf } from '../../ledger/statements/runs.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findTask } from '../../operations/task/find-task.ts';
import type { Clock } from '../../platform/clock.ts';
import { randomSecret } from '../../platform/secret.ts';

const SHOWN_MAX = 500;
const CODE_PREFIX = 'baton-invite-';

/** The facts about a node that invites depend on. */
export interface InvitingNode {
  /** Whether this node starts an agent of this name itself. */
  isOwnAgent(name: string): boolean;
  /** The address for external agents; null while no server listens. */
  address(): Promise<{ readonly url: string; readonly certSha256?: string } | null>;
}

export interface ExternalCallParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly inviting: InvitingNode;
}

export type ExternalCalls = Pick<Calls, keyof typeof EXTERNAL_CALLS>;

/** External agents, as the operator invites, sees and revokes them. */
export function externalCalls(parts: ExternalCallParts): ExternalCalls {
  const { ledger, clock } = parts;
  const { read } = ledger;
  return {
    createInvite: (request) => invite(parts, request),
    listInvites: async () => ({ invites: selectInvites(read, SHOWN_MAX).map((each) => viewInvite(each, clock)) }),
    listExternalAgents: async ({ all = false } = {}) => ({
      agents: selectEnrolments(read, all, SHOWN_MAX).map((each) => viewEnrolment(read, each)),
    }),
    revokeExternal: ({ who }) => revokeAs(ledger, who, OPERATOR),
    readAudit: async (request = {}) => auditPage(read, request),
  };
}

/** The hash under which an invite or a refresh token is stored. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

async function invite(parts: ExternalCallParts, request: RequestOf<'createInvite'>): Promise<CreatedInvite | Refusal> {
  const { agent, ttlSeconds = INVITE_MS_MAX / 1_000 } = request;
  const unknown = request.scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) {
    const refusal = refuse('invalid_argument', `there is no scope ${JSON.stringify(unknown)}`, '/scopes');
    return { ...refusal, hint: `the scopes are ${SCOPES.join(', ')}` };
  }
  if (parts.inviting.isOwnAgent(agent)) {
    const refusal = refuse('invalid_argument', `${agent} is an agent that this node starts itself`, '/agent');
    return { ...refusal, hint: 'choose a name that baton agents does not list' };
  }
  const code = `${CODE_PREFIX}${randomSecret()}`;
  const scopes = SCOPES.filter((scope) => request.scopes.includes(scope));
  const facts = { agent, scopes, ttlMs: ttlSeconds * 1_000, codeHash: hashOfSecret(code) };
  const made = await parts.ledger.submit(inviteAgent, facts);
  if (isRefusal(made)) return made;
  const address = await parts.inviting.address();
  return {
    id: made.invite.id,
    invite: code,
    agent,
    scopes,
    expiresAt: instant(made.invite.expires.wallMs),
    url: address?.url ?? null,
    certSha256: address?.certSha256 ?? null,
  };
}

export async function revokeAs(ledger: Ledger, who: string, actor: string) {
  return await ledger.submit(revokeExternal, { who, actor });
}

function viewInvite(each: Invite, clock: Clock): InviteView {
  const { id, agent, scopes, createdAt, expires, usedAt, revokedAt, enrolmentId } = each;
  const ended = hasExpired(expires, clock.now()) ? 'expired' : 'open';
  const state = revokedAt !== null ? 'revoked' : usedAt !== null ? 'used' : ended;
  const times = { createdAt: instant(createdAt), expiresAt: instant(expires.wallMs), usedAt: instantOrNull(usedAt) };
  return { id, agent, scopes, state, ...times, sessionId: enrolmentId };
}

function viewEnrolment(read: Reader, each: Enrolment): ExternalAgentView {
  const { id, agent, thumbprint, scopes, inviteId, enrolledAt, revokedAt, revokedWhy } = each;
  return {
    agent,
    sessionId: id,
    keyThumbprint: thumbprint,
    scopes,
    state: revokedAt === null ? 'enrolled' : 'revoked',
    enrolledAt: instant(enrolledAt),
    lastCallAt: instantOrNull(selectLastCallAt(read, id)),
    revokedAt: instantOrNull(revokedAt),
    revokedWhy,
    inviteId,
    holds: selectLiveRunsOf(read, agent).map(({ taskId }) => taskId),
  };
}

function auditPage(read: Reader, request: RequestOf<'readAudit'>) {
  const task = request.task === undefined ? null : findTask(read, request.task);
  if (isRefusal(task)) return task;
  const { agent = null, session = null, corr = null, verdict = null, since, after = 0 } = request;
  const limit = Math.min(request.limit ?? AUDIT_PER_PAGE_MAX, AUDIT_PER_PAGE_MAX);
  const sinceMs = since === undefined ? null : Date.parse(since);
  const filter = { actor: agent, sessionId: session, corrId: corr, task: task?.id ?? null, verdict, sinceMs, after };
  const rows = selectAudit(read, filter, limit);
  const next = rows.length === limit ? (rows.at(-1)?.n ?? null) : null;
  return { entries: rows.map(viewAudit), next };
}

function viewAudit({ at, thumbprint, key: _key, ...row }: AuditRow): AuditView {
  return { ...row, at: instant(at), keyThumbprint: thumbprint };
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : instant(ms);
}
