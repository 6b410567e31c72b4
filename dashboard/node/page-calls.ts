import type { CALLS, CallName } from '../../src/api/calls.ts';

type Spec<Name extends CallName> = (typeof CALLS)[Name];
type Mark<Name extends CallName> = Spec<Name>['repeat'] extends 'never' ? ' once' : '';
type Route<Name extends CallName> = `${Spec<Name>['method']} ${Spec<Name>['path']}${Mark<Name>}`;

/**
 * The calls that the pages make. The compiler compares each with the node's table of calls, of which the pages load nothing. `once`:
 * it must not be sent twice, so no answer means that nobody knows what became of it.
 */
export const PAGE_CALLS = {
  overview: 'GET /v1/overview',
  search: 'GET /v1/search',
  listTasks: 'GET /v1/tasks',
  createTask: 'POST /v1/tasks',
  showTask: 'GET /v1/tasks/{task}',
  moveTask: 'POST /v1/tasks/{task}/move',
  cancelTask: 'POST /v1/tasks/{task}/cancel',
  retryTask: 'POST /v1/tasks/{task}/retry',
  planOrder: 'POST /v1/orders/plan',
  submitOrder: 'POST /v1/orders',
  runTask: 'POST /v1/tasks/{task}/run',
  continueTask: 'POST /v1/tasks/{task}/continue',
  orderReport: 'GET /v1/tasks/{task}/report',
  stopOrder: 'POST /v1/tasks/{task}/stop',
  readLog: 'GET /v1/tasks/{task}/log',
  diffWork: 'GET /v1/tasks/{task}/diff',
  readEvidence: 'GET /v1/tasks/{task}/evidence',
  applyWork: 'POST /v1/tasks/{task}/apply once',
  discardWork: 'POST /v1/tasks/{task}/discard',
  undoWork: 'POST /v1/tasks/{task}/undo once',
  verifyWork: 'POST /v1/tasks/{task}/verify',
  agentStats: 'GET /v1/agents/stats',
  approveReview: 'POST /v1/tasks/{task}/approve',
  returnReview: 'POST /v1/tasks/{task}/return',
  beginFeedback: 'POST /v1/feedback once',
  listFeedback: 'GET /v1/tasks/{task}/feedback',
  showFeedback: 'GET /v1/feedback/{feedback}',
  decideFeedback: 'POST /v1/feedback/{feedback}/decide once',
  stopFeedback: 'POST /v1/feedback/{feedback}/stop',
  listSessions: 'GET /v1/sessions',
  showSession: 'GET /v1/sessions/{session}',
  stopSession: 'POST /v1/sessions/{session}/stop',
  continueSession: 'POST /v1/sessions/{session}/continue',
  retrySession: 'POST /v1/sessions/{session}/retry',
  sayWords: 'POST /v1/tasks/{task}/say',
  answerQuestion: 'POST /v1/tasks/{task}/answer',
  readTrace: 'GET /v1/tasks/{task}/trace',
  readStory: 'GET /v1/tasks/{task}/story',
  listPoints: 'GET /v1/tasks/{task}/points',
  previewRewind: 'GET /v1/tasks/{task}/rewind',
  rewindTask: 'POST /v1/tasks/{task}/rewind once',
  nodeStatus: 'GET /v1/federation',
  nodeLinks: 'GET /v1/federation/links',
  trustNode: 'POST /v1/federation/nodes/{node}/trust',
  removeNode: 'POST /v1/federation/nodes/{node}/remove',
  dismissIncident: 'POST /v1/incidents/{incident}/dismiss',
  listCapabilities: 'GET /v1/federation/capabilities',
  listInvites: 'GET /v1/invites',
  listExternalAgents: 'GET /v1/external-agents',
  revokeExternal: 'POST /v1/external-agents/{who}/revoke',
  listAgents: 'GET /v1/agents',
  listEvents: 'GET /v1/events',
  follow: 'GET /v1/events',
  exchangeLink: 'POST /v1/dashboard/token once',
} as const satisfies { readonly [Name in CallName]?: Route<Name> };

export interface PageRoute {
  readonly method: string;
  /** A part in braces is a field of the request. */
  readonly path: string;
  readonly isOnce: boolean;
}

export function routeOf(name: keyof typeof PAGE_CALLS): PageRoute {
  const [method = '', path = '', mark] = PAGE_CALLS[name].split(' ');
  return { method, path, isOnce: mark !== undefined };
}
