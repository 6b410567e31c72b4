import * as z from 'zod';
import { OPERATIONS, type OperationName, SCOPES } from '../../domain/external/external-agent.ts';
import { COMPLETION_OUTCOMES } from '../../domain/task/resolve-completion.ts';
import { TASK_STATUSES } from '../../domain/task/task-lifecycle.ts';
import { anyText, bool, json, nullableText, shape, texts, wholeNumber } from '../shape.ts';
import type * as api from './external-contract.ts';

const scope = z.enum(SCOPES);
const scopes = z.array(scope);
const verdict = z.enum(['accepted', 'refused']);

const token = {
  access_token: anyText,
  token_type: z.literal('DPoP'),
  expires_in: wholeNumber,
  scope: anyText,
  client_id: anyText,
  agent: anyText,
  session_id: anyText,
};

const auditEntry = shape<api.AuditView>({
  n: wholeNumber,
  at: anyText,
  verdict,
  code: nullableText,
  answer: nullableText,
  actor: nullableText,
  sessionId: nullableText,
  keyThumbprint: nullableText,
  scope: scope.nullable(),
  operation: anyText,
  task: nullableText,
  corrId: anyText,
  address: anyText,
  times: wholeNumber,
});

const externalAgent = shape<api.ExternalAgentView>({
  agent: anyText,
  sessionId: anyText,
  keyThumbprint: anyText,
  scopes,
  state: z.enum(['enrolled', 'revoked']),
  enrolledAt: anyText,
  lastCallAt: nullableText,
  revokedAt: nullableText,
  revokedWhy: z.enum(['revoked', 'refresh_token_reused', 'ledger_restored']).nullable(),
  inviteId: anyText,
  holds: texts,
});

const invite = shape<api.InviteView>({
  id: anyText,
  agent: anyText,
  scopes,
  state: z.enum(['open', 'used', 'expired', 'revoked']),
  createdAt: anyText,
  expiresAt: anyText,
  usedAt: nullableText,
  sessionId: nullableText,
});

/** External agents: for the operator, and for the agents themselves. */
export const EXTERNAL_SCHEMAS = {
  InviteDraft: z.object({
    agent: anyText,
    scopes: z.array(anyText),
    /** At most 900, which is the default. */
    ttlSeconds: z.int().min(1).optional(),
  }),
  CreatedInvite: shape<api.CreatedInvite>({
    id: anyText,
    invite: anyText,
    agent: anyText,
    scopes,
    expiresAt: anyText,
    url: nullableText,
    certSha256: nullableText,
  }),
  InviteList: shape<api.InviteList>({ invites: z.array(invite) }),
  ExternalAgentsRequest: z.object({
    /** Revoked ones, too. */
    all: bool.optional(),
  }),
  ExternalAgentList: shape<api.ExternalAgentList>({ agents: z.array(externalAgent) }),
  RevokeRequest: z.object({
    /** An invite (inv_…), a session (xs_…), or an agent with all of its own. */
    who: anyText,
  }),
  RevokeAnswer: shape<api.RevokeAnswer>({ invites: texts, sessions: texts, tasks: texts }),
  AuditRequest: z.object({
    agent: anyText.optional(),
    session: anyText.optional(),
    corr: anyText.optional(),
    task: anyText.optional(),
    verdict: verdict.optional(),
    since: z.iso.datetime({ offset: true }).optional(),
    after: wholeNumber.optional(),
    limit: z.int().min(1).optional(),
  }),
  AuditPage: shape<api.AuditPage>({ entries: z.array(auditEntry), next: wholeNumber.nullable() }),
  ExchangeRequest: z.object({ invite: anyText }),
  RefreshRequest: z.object({ refresh_token: anyText }),
  TokenAnswer: shape<api.TokenAnswer>({ ...token, refresh_token: anyText, refresh_expires_in: wholeNumber }),
  ContextRequest: z.object({
    task: anyText,
    /** Fewer than the agent has; all of those about tasks if absent. */
    scopes: z.array(anyText).optional(),
    /** At most 300, which is the default. */
    seconds: z.int().min(1).optional(),
  }),
  ContextAnswer: shape<api.ContextAnswer>({ ...token, task: anyText }),
  InvokeRequest: z.object({
    operation: anyText,
    arguments: json.optional(),
    /** Ties calls together in the audit; a new one if absent. */
    corrId: anyText.optional(),
  }),
  InvokeAnswer: shape<api.InvokeAnswer>({
    operation: z.enum(Object.keys(OPERATIONS) as [OperationName, ...OperationName[]]),
    corrId: anyText,
    sessionId: anyText,
    result: json,
  }),
  ExternalEventsRequest: z.object({ after: wholeNumber.optional() }),
} as const;

const task = { task: anyText };
/** The run that the agent holds the task by: a call for an earlier one is refused. */
const ofRun = { ...task, run: anyText.optional() };

/** The arguments of each operation. */
export const OPERATION_ARGUMENTS = {
  'status.read': z.object({}),
  'message.read': z.object({ all: bool.optional(), peek: bool.optional(), limit: z.int().min(1).optional() }),
  'message.send': z.object({
    to: z.array(anyText).min(1),
    body: anyText,
    subject: anyText.optional(),
    priority: z.enum(['low', 'normal', 'high', 'critical']).optional(),
    expectsReply: bool.optional(),
    expiresInSeconds: z.int().min(1).optional(),
  }),
  'message.reply': z.object({ event: anyText, body: anyText }),
  'task.list': z.object({
    status: z.enum(TASK_STATUSES).optional(),
    /** Waiting tasks that are routed to nobody, instead of the agent's own. */
    unassigned: bool.optional(),
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
    progress: anyText.optional(),
    blockers: texts.optional(),
    notes: anyText.optional(),
  }),
  'task.complete': z.object({
    ...ofRun,
    outcome: z.enum(COMPLETION_OUTCOMES),
    notes: anyText.optional(),
    summaryRef: anyText.min(1).optional(),
    deliverables: texts.optional(),
    tests: z.object({ total: wholeNumber, passed: wholeNumber, failed: wholeNumber }).optional(),
    blockers: texts.optional(),
  }),
  'admin.agents': z.object({ all: bool.optional() }),
  'admin.audit': EXTERNAL_SCHEMAS.AuditRequest,
  'admin.revoke': EXTERNAL_SCHEMAS.RevokeRequest,
} as const satisfies Readonly<Record<OperationName, z.ZodObject>>;
