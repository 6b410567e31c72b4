import type { OrderPlan, OrderRequest } from '../../domain/order/order-request.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import type { Priority, TaskName } from '../../domain/task/task.ts';
import type { CreatedTask, NewTask } from '../../operations/task/create-task.ts';

/** The author of a request for another node, and what it says about its task beside the words. */
export interface SenderCaller {
  readonly key?: string;
  /** The run that gives out the order for its own task; absent for an operator. */
  readonly holder?: RunHolder;
  /** An agent of this node; by default the node itself. */
  readonly requester?: string;
  readonly title?: string;
  readonly priority?: Priority;
  readonly dependsOn?: readonly TaskName[];
  readonly parentId?: TaskName | null;
  readonly metadata?: NewTask['metadata'];
}

/** Orders for other nodes. */
export interface SenderCalls {
  plan(request: OrderRequest): Promise<OrderPlan | Refusal>;
  submit(request: OrderRequest, caller?: SenderCaller): Promise<(CreatedTask & { readonly plan: OrderPlan }) | Refusal>;
}
