import { suggestChecks } from '../../checks/suggest-checks.ts';
import { decideOrder } from '../../domain/order/decide-order.ts';
import type { Order } from '../../domain/order/order.ts';
import { isToBeSent, type OrderFlags, type OrderPlan, type OrderRequest } from '../../domain/order/order-request.ts';
import { isOfProgram, type Round } from '../../domain/order/round.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { OrderGrant, SentTerms } from '../../domain/remote/sent-terms.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import { delegationDepth, type Priority, type TaskName } from '../../domain/task/task.ts';
import { checkNames, checksOf } from '../../domain/work/plan-verification.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { NewTask } from '../../operations/task/create-task.ts';
import type { OrderEdge } from '../../orders/order-edge.ts';
import { refuseFlags, termsOf } from '../../orders/order-terms.ts';
import { titleOf } from '../../orders/plan-order.ts';
import type { PlanWorld } from '../../orders/plan-world.ts';
import { delegatedBy, dependenciesOf } from '../../orders/related-tasks.ts';

/** An order for another node, before it is routed and stored. */
export interface SentDraft extends Round {
  readonly task: NewTask;
  readonly terms: SentTerms;
}

export interface SentSource {
  readonly ledger: Reader;
  /** The run that gives out the order for its own task; absent for an operator. */
  readonly holder?: RunHolder;
  /** The agent in whose name it is sent. */
  readonly requester: string;
  /** Its title, where it is not the first line of its words. */
  readonly title?: string;
  readonly priority?: Priority;
  readonly dependsOn?: readonly TaskName[];
  readonly parentId?: TaskName | null;
  readonly metadata?: NewTask['metadata'];
}

/** A TASK whose target is an agent of another node is for that node, unless the caller says where it goes. */
export function addressed(edge: Pick<OrderEdge, 'addressOf'>, request: OrderRequest): OrderRequest {
  const address = isToBeSent(request) || request.agent ? null : edge.addressOf(request.text);
  return address === null ? request : { ...request, on: [address] };
}

/** Reads an order that another node is to run. Changes nothing. */
export function readSentOrder(world: PlanWorld, request: OrderRequest, source: SentSource): SentDraft | Refusal {
  const { text: given, ...flags } = request;
  const refusal = refuseFlags(flags) ?? refuseLocalFlags(flags);
  if (refusal) return refusal;
  const usual = termsOf(world, flags);
  const text = world.edge.readOrder(given, usual);
  if (isRefusal(text)) return world.edge.locate(text, given);
  if (text.isFallback) return refuse('invalid-message', 'a TASK that breaks its schema goes to no other node', '/text');
  const { ledger, holder, requester } = source;
  const dependsOn = dependenciesOf(ledger, text);
  if (isRefusal(dependsOn)) return world.edge.locate(dependsOn, given);
  const decided = decideOrder(text, usual);
  const own = holder ? delegatedBy(ledger, holder, boundTo(ledger, holder, decided)) : decided;
  if (isRefusal(own)) return own;
  const terms = termsOfRequest(world, request, requester);
  const order = { ...own, priority: source.priority ?? own.priority, remote: terms };
  const parent = holder ? selectTask(ledger, holder.taskId) : null;
  const depth = parent === null ? 0 : delegationDepth(parent) + 1;
  const { provenance, message, notes } = text;
  const sent = text.isProgram ? { provenance, message, ...(notes && { notes }) } : { provenance: null, message: null };
  const round = { order, ...sent, request: flags };
  const { reviewRequired = false } = request;
  const waitsFor = [...(source.dependsOn ?? []), ...dependsOn];
  return { ...round, task: taskOf(order, { ...source, dependsOn: waitsFor, depth, reviewRequired }), terms };
}

/** An order of a run belongs to the session of that run. */
function boundTo(ledger: Reader, { taskId }: RunHolder, order: Order): Order {
  const sessionId = selectTask(ledger, taskId)?.sessionId ?? order.sessionId;
  return { ...order, sessionId };
}

/** Flags that only mean something on this machine. */
function refuseLocalFlags({ agent, worktree, allow = [] }: OrderFlags): Refusal | null {
  const no = (flag: string, path: string) =>
    refuse('invalid_argument', `${flag} means this node, and the task goes to another`, path);
  if (agent) return { ...no('--agent', '/agent'), hint: `--on ${agent}@NODE names an agent of another node` };
  if (worktree) return no('--worktree', '/worktree');
  return allow.length > 0 ? no('--allow', '/allow') : null;
}

function termsOfRequest({ clock }: Pick<PlanWorld, 'clock'>, request: OrderRequest, requester: string): SentTerms {
  const { on = [], needs = [], deadlineSeconds } = request;
  const deadlineAt = deadlineSeconds === undefined ? null : clock.now().wallMs + deadlineSeconds * 1_000;
  return { to: [...new Set(on)], needs: [...new Set(needs)], deadlineAt, requester };
}

/** The most that the sender of an order grants. */
export function grantOf({ access, hosts, budget, policy, checks }: Order): OrderGrant {
  return {
    network: access.network,
    hosts: access.network === 'NONE' ? [] : hosts,
    budgetUsd: budget.costUsdMax,
    timeoutSeconds: policy.timeoutSeconds,
    retries: policy.retriesMax,
    checks,
  };
}

type TaskTerms = SentSource & { readonly depth: number; readonly reviewRequired: boolean };

function taskOf({ objective, priority }: Order, terms: TaskTerms): NewTask {
  const { holder, title, depth, reviewRequired, dependsOn = [], parentId = null, metadata = {} } = terms;
  return {
    title: title ?? titleOf(objective),
    body: objective,
    priority,
    agent: null,
    role: null,
    team: null,
    tags: [],
    resource: null,
    parentId: holder?.taskId ?? parentId,
    dependsOn,
    metadata: { ...metadata, reviewRequired, ...(depth > 0 && { delegationDepth: depth }) },
    createdBy: holder?.agent ?? OPERATOR,
  };
}

/** The consequences of an order for another node, for its caller to confirm. */
export async function planSentOrder(
  world: PlanWorld,
  { order, provenance, task }: Pick<Round, 'order' | 'provenance'> & { readonly task: Pick<NewTask, 'title'> },
  to: readonly string[],
): Promise<OrderPlan> {
  const status = await world.surroundings.repositoryStatus(order.workspaceRoot);
  const { provider } = order.target;
  const nothing = { readPaths: [], writePaths: [] };
  return {
    title: task.title,
    isProgram: isOfProgram({ order, provenance }),
    agent: { name: to.join(' or '), driver: 'another node', provider, model: 'another node' },
    workspace: order.workspaceRoot,
    git:
      status.kind === 'none'
        ? null
        : {
            branch: status.branch,
            head: status.head,
            changedFiles: Object.values(status.dirty).reduce((sum, count) => sum + count, 0),
          },
    workplace: 'elsewhere',
    heldBy: null,
    ...nothing,
    programPaths: [],
    sessionPaths: [],
    beyond: { ...nothing, isWholeNetwork: false },
    network: order.access.network,
    hosts: order.access.network === 'RESTRICTED' ? order.hosts : [],
    sandbox: 'bubblewrap',
    sandboxMissing: null,
    checks: checkNames(order),
    suggestedChecks: checksOf(order).length > 0 ? [] : suggestChecks(order.workspaceRoot).map(({ command }) => command),
    timeoutSeconds: order.policy.timeoutSeconds,
    retries: order.policy.retriesMax,
    budgetUsd: order.budget.costUsdMax,
    costsMoney: false,
    warnings: status.kind === 'none' && !order.inputs.some(({ path }) => path !== null) ? [NO_FILES] : [],
  };
}

const NO_FILES = 'no file goes along: without git only the inputs that a TASK names travel';
