import { type CallSpec, CHANGE, READ, REPEATABLE } from '../call-spec.ts';

/** Its answer has a secret, which is stored nowhere: it cannot be given again. */
const AT_MOST_ONCE = { ...CHANGE, repeat: 'never' } as const;

/** The calls of the operator about external agents. */
export const EXTERNAL_CALLS = {
  createInvite: {
    ...AT_MOST_ONCE,
    path: '/v1/invites',
    request: 'InviteDraft',
    answer: 'CreatedInvite',
    status: 201,
    about: 'Invites an external agent: makes a code that enrols one key, once, as one agent with some scopes.',
  },
  listInvites: {
    ...READ,
    path: '/v1/invites',
    request: 'Nothing',
    answer: 'InviteList',
    about: 'Lists invites, the newest first, without their codes.',
  },
  listExternalAgents: {
    ...READ,
    path: '/v1/external-agents',
    request: 'ExternalAgentsRequest',
    answer: 'ExternalAgentList',
    about: 'Lists external agents with their keys and scopes.',
  },
  revokeExternal: {
    ...REPEATABLE,
    path: '/v1/external-agents/{who}/revoke',
    request: 'RevokeRequest',
    answer: 'RevokeAnswer',
    about: 'Revokes an invite, a session, or all of an agent: no token of it counts from now on, and its streams end.',
  },
  readAudit: {
    ...READ,
    path: '/v1/audit',
    request: 'AuditRequest',
    answer: 'AuditPage',
    about: 'Reads the calls of external agents, accepted and refused, oldest first, a page at a time.',
  },
} as const satisfies Readonly<Record<string, CallSpec>>;

/** The calls of external agents themselves; each carries a proof (RFC 9449). */
export const PROVED_CALLS = {
  exchangeInvite: {
    ...AT_MOST_ONCE,
    path: '/v1/external/exchange',
    request: 'ExchangeRequest',
    answer: 'TokenAnswer',
    who: 'anybody',
    form: 'proof',
    status: 201,
    about: 'Exchanges an invite, and the key of the proof, for an access token and a refresh token.',
  },
  refreshTokens: {
    ...AT_MOST_ONCE,
    path: '/v1/external/refresh',
    request: 'RefreshRequest',
    answer: 'TokenAnswer',
    who: 'anybody',
    form: 'proof',
    status: 201,
    about: 'Exchanges a refresh token for new tokens; each works once.',
  },
  issueContext: {
    ...AT_MOST_ONCE,
    path: '/v1/external/context',
    request: 'ContextRequest',
    answer: 'ContextAnswer',
    who: 'external',
    form: 'proof',
    status: 201,
    about: 'Makes a token of at most five minutes that is narrowed to one task.',
  },
  invoke: {
    ...CHANGE,
    path: '/v1/external/invoke',
    request: 'InvokeRequest',
    answer: 'InvokeAnswer',
    who: 'external',
    form: 'proof',
    about: 'Makes one operation in the name of the agent, as far as its scopes allow.',
  },
  followExternal: {
    ...READ,
    path: '/v1/external/events',
    request: 'ExternalEventsRequest',
    answer: 'EventView',
    who: 'external',
    form: 'proved-events',
    about: 'Streams the events of tasks and messages of the agent, until its access token ends or is revoked.',
  },
} as const satisfies Readonly<Record<string, CallSpec>>;
