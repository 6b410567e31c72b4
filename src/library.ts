// The package's `.`: a node in your own process, a client of one in another, and the types of their calls.

import type { ExternalAgent, ExternalAgentOptions } from './api/external/external-agent.ts';
import type { NodeClient } from './api/node-client.ts';
import type { Refusal } from './domain/refusal.ts';
import type { NodeOptions } from './node.ts';
import { requireNode } from './platform/process/require-node.ts';

// Nothing that is imported here needs a newer Node to load; the node itself does.
requireNode();

export type * from './api/contract.ts';
export type { ExternalAgent, ExternalAgentOptions, InvokeOptions } from './api/external/external-agent.ts';
export type * from './api/external/external-contract.ts';
export { httpClient } from './api/http/http-client.ts';
export type { AnswerOf, NodeClient, RequestOf } from './api/node-client.ts';
export { NodeFault } from './api/node-fault.ts';
export type * from './api/order/order-contract.ts';
export type * from './api/requests.ts';
export type * from './api/review/feedback-contract.ts';
export type * from './api/review/review-contract.ts';
export type { CallOptions, TaskView } from './api/task/task-view.ts';
export { isRefusal, REFUSALS, type Refusal, type RefusalCode } from './domain/refusal.ts';
export { TASK_STATUSES, TASK_TRANSITIONS, type TaskStatus } from './domain/task/task-lifecycle.ts';
export type { NodeOptions };

/** Takes part in the work of a node as an external agent, which the node does not trust. Its code is loaded with the first call. */
export async function connectExternalAgent(options: ExternalAgentOptions): Promise<ExternalAgent | Refusal> {
  const agents = await import('./api/external/external-agent.ts');
  return await agents.connectExternalAgent(options);
}

/** Opens a node in this process. Its code is loaded with the first call: a client of another node needs none of it. */
export async function openNode(options: NodeOptions): Promise<NodeClient> {
  const node = await import('./node.ts');
  return await node.openNode(options);
}
