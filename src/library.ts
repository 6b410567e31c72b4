// The package's `.`: a node in your own process, a client of one in another, and the types of their calls.

export type * from './api/contract.ts';
export type * from './api/feedback-contract.ts';
export { httpClient } from './api/http/http-client.ts';
export type { AnswerOf, NodeClient, RequestOf } from './api/node-client.ts';
export { NodeFault } from './api/node-fault.ts';
export type * from './api/order-contract.ts';
export type * from './api/requests.ts';
export type * from './api/review-contract.ts';
export type { CallOptions, TaskView } from './api/task-view.ts';
export { isRefusal, REFUSALS, type Refusal, type RefusalCode } from './domain/refusal.ts';
export { TASK_STATUSES, TASK_TRANSITIONS, type TaskStatus } from './domain/task-lifecycle.ts';
export { type NodeOptions, openNode } from './node.ts';
