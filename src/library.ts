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
export { planTick, type Slots } from './dispatch/plan-tick.ts';
export { effectiveAccess } from './domain/access.ts';
export { providerOf } from './domain/agent.ts';
export { effectiveBudget, isOverBudget } from './domain/budget.ts';
export { backoffSeconds, effectivePolicy } from './domain/policy.ts';
export { isRefusal, REFUSALS, type Refusal, type RefusalCode } from './domain/refusal.ts';
export { TASK_STATUSES, TASK_TRANSITIONS, type TaskStatus } from './domain/task-lifecycle.ts';
export { type NodeOptions, openNode } from './node.ts';
export { promoteTasks } from './operations/promote-tasks.ts';
export { acknowledge } from './protocols/afp/acknowledge.ts';
export {
  type AfpStream,
  EMPTY_STREAM,
  readStreamLine,
  writeStepFinish,
  writeStepStart,
  writeText,
} from './protocols/afp/stream.ts';
export { aopCodec } from './protocols/aop/codec.ts';
export { readableObjective, writeV1Prompt } from './protocols/aop/v1-prompt.ts';
export { makeVersionFallback } from './protocols/aop/version-fallback.ts';
export { readMessage } from './protocols/read-message.ts';
