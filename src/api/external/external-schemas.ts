import * as z from 'zod';
import { OPERATIONS, type OperationName, SCOPES } from '../../domain/external/external-agent.ts';
import { COMPLETION_OUTCOMES } from '../../domain/task/resolve-completion.ts';
import { TASK_STATUSES } from '../../domain/task/task-lifecycle.ts';
import { count, flag, json, nullableText, shape, text, texts } from '../shape.ts';
import type * as api from './external-contract.ts';

const scope = z.enum(SCOPES);
const scopes = z.array(scope);
const verdict = z.enum(['accepted', 'refused']);

const token = {
  access_token: text,
  token_type: z.literal('DPoP'),
  expires_in: count,
  scope: text,
  client_id: text,
  agent: text,
  session_id: text,
};

const auditEntry = shape<api.AuditView>({
  n: count,
  at: text,
  verdict,
  code: nullableText,
  answer: nullableText,
  actor: nullableText,
  sessionId: nullableText,
  keyThumbprint: nullableText,
  scope: scope.nullable(),
  operation: text,
  task: nullableText,
  corrId: text,
  address: text,
  times: count,
});

const externalAgent = shape<api.ExternalAgentView>({
  agent: text,
  sessionId: text,
  keyThumbprint: text,
  scopes,
  state: z.enum(['enrolled', 'revoked']),
  enrolledAt: text,
  lastCallAt: nullableText,
  revokedAt: nullableText,
  revokedWhy: z.enum(['revoked', 'refresh_token_reused', 'ledger_restored']).nullable(),
  inviteId: text,
  holds: texts,
});

const invite = shape<api.InviteView>({
  id: text,
  agent: text,
  scopes,
  state: z.enum(['open', 'used', 'expired', 'revoked']),
  createdAt: text,
  expiresAt: text,
  usedAt: nullableText,
  sessionId: nullableText,
});

/** External agents: for the operator, and for the agents themselves. */
export const EXTERNAL_SCHEMAS = {
  InviteDraft: z.object({
    agent: text,
    scopes: z.array(text),
    /** At most 900, which is the default. */
    ttlSeconds: z.int().min(1).optional(),
  }),
  CreatedInvite: shape<api.CreatedInvite>({
    id: text,
    invite: text,
    agent: text,
    scopes,
    expiresAt: text,
    url: nullableText,
    certSha256: nullableText,
  }),
  InviteList: shape<api.InviteList>({ invites: z.array(invite) }),
  ExternalAgentsRequest: z.object({
    /** Revoked ones, too. */
    all: flag.optional(),
  }),
  ExternalAgentList: shape<api.ExternalAgentList>({ agents: z.array(externalAgent) }),
  RevokeRequest: z.object({
    /** An invite (inv_…), a session (xs_…), or an agent with all of its own. */
    who: text,
  }),
  RevokeAnswer: shape<api.RevokeAnswer>({ invites: texts, sessions: texts, tasks: texts }),
  AuditRequest: z.object({
    agent: text.optional(),
    session: text.optional(),
    corr: text.optional(),
    task: text.optional(),
    verdict: verdict.optional(),
    since: z.iso.datetime({ offset: true }).optional(),
    after: count.optional(),
    limit: z.int().min(1).optional(),
  }),
  AuditPage: shape<api.AuditPage>({ entries: z.array(auditEntry), next: count.nullable() }),
  ExchangeRequest: z.object({ invite: text }),
  RefreshRequest: z.object({ refresh_token: text }),
  TokenAnswer: shape<api.TokenAnswer>({ ...token, refresh_token: text, refresh_expires_in: count }),
  ContextRequest: z.object({
    task: text,
    /** Fewer than the agent has; all of those about tasks if absent. */
    scopes: z.array(text).optional(),
    /** At most 300, which is the default. */
    seconds: z.int().min(1).optional(),
  }),
  ContextAnswer: shape<api.ContextAnswer>({ ...token, task: text }),
  InvokeRequest: z.object({
    operation: text,
    arguments: json.optional(),
    /** Ties calls together in the audit; a new one if absent. */
    corrId: text.optional(),
  }),
  InvokeAnswer: shape<api.InvokeAnswer>({
    operation: z.enum(Object.keys(OPERATIONS) as [OperationName, ...OperationName[]]),
    corrId: text,
    sessionId: text,
    result: json,
  }),
  ExternalEventsRequest: z.object({ after: count.optional() }),
} as const;

const task = { task: text };
/** The run that the agent holds the task by: a call for an earlier one is refused. */
const ofRun = { ...task, run: text.optional() };

/** The arguments of each operation. */
export const OPERATION_ARGUMENTS = {
  'status.read': z.object({}),
  'message.read': z.object({ all: flag.optional(), peek: flag.optional(), limit: z.int().min(1).optional() }),
  'message.send': z.object({
    to: z.array(text).min(1),
    body: text,
    subject: text.optional(),
    priority: z.enum(['low', 'normal', 'high', 'critical']).optional(),
    expectsReply: flag.optional(),
    expiresInSeconds: z.int().min(1).optional(),
  }),
  'message.reply': z.object({ event: text, body: text }),
  'task.list': z.object({
    status: z.enum(TASK_STATUSES).optional(),
    /** Waiting tasks that are routed to nobody, instead of the agent's own. */
    unassigned: flag.optional(),
    limit: z.int().min(1).optional(),
  }),
  'task.read': z.object(task),
  'task.claim': z.object(task),
  'task.beat': z.object(ofRun),
  'task.release': z.object(ofRun),
  'task.update': z.object({
    ...ofRun,
    /** Done and cancelled are recorded, and move nothing. */
    status: z.enum(TASK_STATUSES).exclude(['backlog', 'deadletter']).optional(),
    progress: text.optional(),
    blockers: texts.optional(),
    notes: text.optional(),
  }),
  'task.complete': z.object({
    ...ofRun,
    outcome: z.enum(COMPLETION_OUTCOMES),
    notes: text.optional(),
    summaryRef: text.min(1).optional(),
    deliverables: texts.optional(),
    tests: z.object({ total: count, passed: count, failed: count }).optional(),
    blockers: texts.optional(),
  }),
  'admin.agents': z.object({ all: flag.optional() }),
  'admin.audit': EXTERNAL_SCHEMAS.AuditRequest,
  'admin.revoke': EXTERNAL_SCHEMAS.RevokeRequest,
} as const satisfies Readonly<Record<OperationName, z.ZodObject>>;
