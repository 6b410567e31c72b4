import { type Access, effectiveAccess } from '../../domain/access.ts';
import { type Budget, effectiveBudget } from '../../domain/budget.ts';
import type { Order, OrderInput, Phase, Target } from '../../domain/order.ts';
import { isWithin, wholePath } from '../../domain/path-text.ts';
import { type ExecutionPolicy, effectivePolicy } from '../../domain/policy.ts';
import type { Priority } from '../../domain/task.ts';
import { outputOf, phaseOf } from './expectation-of-task.ts';
import type { TaskMessage } from './schema/task.ts';

/** What counts beside the message. */
export interface OrderExtras {
  /** Commands of --check and of the configuration. */
  readonly checks: readonly string[];
  /** The default of the agent that is going to do it. */
  readonly agentTimeoutSeconds?: number;
  /** The message failed its schema and goes on as v1. */
  readonly isFallback?: boolean;
  /** By configuration. */
  readonly isSandboxDemanded?: boolean;
}

/** aop:defaults: every field of an order decided, from what the TASK says and the defaults where it is silent. */
export function orderOfTask(message: TaskMessage, extras: OrderExtras): Order {
  const { session, target, task } = message;
  const isFallback = extras.isFallback ?? false;
  const outputs = (task.expected_outputs ?? []).map(outputOf);
  const phases = phasesOf(message);
  const order = {
    sessionId: session.session_id,
    taskId: task.task_id,
    parentTaskId: task.parent_task_id ?? null,
    objective: task.objective,
    priority: (task.priority ?? 'NORMAL').toLowerCase() as Priority,
    target: targetOf(target),
    workspaceRoot: task.environment.workspace_root,
    inputs: (task.inputs ?? []).map(inputOf),
    outputs,
    phases,
    checks: extras.checks,
    budget: budgetOf(task),
    policy: isFallback ? effectivePolicy(defaultsOf(extras)) : policyOf(message, extras),
    alternatives: isFallback ? [] : alternativesOf(message),
    isDelegationAllowed: !isFallback && (task.constraints?.delegation_allowed ?? false),
    isSandboxDemanded: isFallback || (extras.isSandboxDemanded ?? false) || asksForBounds(message),
    isFallback,
  };
  return { ...order, access: accessOf(message, order) };
}

function targetOf(target: TaskMessage['target']): Target {
  const { capabilities } = target;
  return {
    agentName: target.agent_name,
    provider: target.provider,
    model: target.model,
    profile: target.execution_profile ?? null,
    isHeadless: capabilities?.headless_mode ?? true,
    aopVersions: capabilities?.aop_versions_supported ?? null,
  };
}

type Input = NonNullable<TaskMessage['task']['inputs']>[number];

function inputOf({ type, path, read_only }: Input): OrderInput {
  return { type, path: path ?? null, isReadOnly: read_only ?? true };
}

/** By phase_order; phases with the same one stay as they stand in the message. */
function phasesOf({ phases }: TaskMessage): readonly Phase[] {
  return (phases ?? [])
    .map((phase, position) => ({ order: phase.phase_order, phase: phaseOf(phase, position) }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ phase }) => phase);
}

function budgetOf({ budgets, constraints }: TaskMessage['task']): Budget {
  return effectiveBudget(
    [budgets, constraints].map((source) => ({ costUsdMax: source?.max_cost_usd, tokensMax: source?.max_tokens })),
  );
}

function policyOf({ execution_policy: policy, guard_rails: rails }: TaskMessage, extras: OrderExtras): ExecutionPolicy {
  const beat = policy?.heartbeat;
  return effectivePolicy({
    ...defaultsOf(extras),
    guardRails: {
      timeoutSeconds: rails?.timeout_seconds,
      autoTerminateOnTimeout: rails?.auto_terminate_on_timeout,
      abortOnFirstCriticalError: rails?.abort_on_first_critical_error,
      requireMinimalReport: rails?.require_minimal_report,
      requireFinalSignal: rails?.require_final_signal,
    },
    executionPolicy: {
      timeoutSeconds: policy?.timeout_seconds,
      autoTerminateOnTimeout: policy?.auto_terminate_on_timeout,
      abortOnFirstCriticalError: policy?.abort_on_first_critical_error,
      retriesMax: policy?.max_retries,
      retryBackoffSeconds: policy?.retry_backoff_seconds,
      onFailure: policy?.on_failure,
      heartbeat: {
        enabled: beat?.enabled,
        intervalSeconds: beat?.interval_seconds,
        missedBeatsMax: beat?.max_missed_beats,
        onFailure: beat?.on_heartbeat_failure,
      },
    },
  });
}

function defaultsOf({ agentTimeoutSeconds }: OrderExtras): { readonly agentTimeoutSeconds: number | undefined } {
  return { agentTimeoutSeconds };
}

function alternativesOf({ execution_policy: policy }: TaskMessage): Order['alternatives'] {
  return (policy?.alternative_models ?? []).map(({ provider, model, fallback_trigger: trigger }) => {
    return { provider, model, trigger };
  });
}

/** aop:sandbox: setting access, network or read_only_mode is asking for what only a sandbox holds. */
function asksForBounds({ target: { capabilities }, task: { access, constraints } }: TaskMessage): boolean {
  const isSet = (value: unknown) => value !== undefined && value !== null;
  return (
    isSet(access?.filesystem) ||
    [access?.network, capabilities?.network_access, constraints?.network_access].some(isSet) ||
    capabilities?.file_system_access === false ||
    constraints?.read_only_mode === true
  );
}

function accessOf({ target: { capabilities }, task }: TaskMessage, order: Omit<Order, 'access'>): Access {
  const { access, constraints } = task;
  const grant = access?.filesystem;
  const levels = [capabilities?.network_access, access?.network, constraints?.network_access];
  return effectiveAccess({
    workspaceRoot: order.workspaceRoot,
    fileSystemAccess: capabilities?.file_system_access,
    filesystem: grant && { readPaths: grant.read_paths ?? [], writePaths: grant.write_paths ?? [] },
    readOnlyMode: order.isFallback || constraints?.read_only_mode,
    readOnlyPaths: readOnlyPathsOf(order),
    networkLevels: order.isFallback ? ['RESTRICTED', ...levels] : levels,
  });
}

/**
 * `read_only` binds the inputs that are not also outputs; a folder with an output below it has to be written. Snapshots
 * that the order wants in the workspace are Baton's: no agent may change what it would be rolled back to.
 */
function readOnlyPathsOf({ workspaceRoot, inputs, outputs }: Omit<Order, 'access'>): readonly string[] {
  const written = outputs.flatMap(({ path }) => (path === null ? [] : [wholePath(workspaceRoot, path)]));
  const bound = inputs.flatMap(({ type, path, isReadOnly }) => {
    if (!isReadOnly || path === null || (type !== 'FILE' && type !== 'DIRECTORY')) return [];
    const whole = wholePath(workspaceRoot, path);
    return written.some((output) => isWithin(whole, output)) ? [] : [path];
  });
  const hasSnapshots = outputs.some(({ snapshot }) => snapshot?.path);
  return [...new Set([...bound, ...(hasSnapshots ? [`${workspaceRoot}/.aop_snapshots`] : [])])];
}
