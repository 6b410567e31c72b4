import { decideOrder, type OrderTerms, type OrderText } from '../../domain/order/decide-order.ts';
import type {
  Checkpoint,
  ExpectedOutput,
  Order,
  OrderInput,
  Phase,
  Snapshot,
  Target,
  Validation,
} from '../../domain/order/order.ts';
import type { PolicySources } from '../../domain/order/policy.ts';
import type { Priority } from '../../domain/task/task.ts';
import { kernelWord } from '../../domain/words/kernel-word.ts';
import type { TaskMessage } from './schema/task.ts';

/** How a TASK was read: by default as AOP JSON, so that it is a program's order. */
export type TaskReading = Partial<Pick<OrderText, 'isProgram' | 'isFallback' | 'provenance' | 'notes' | 'dependsOn'>>;

/** The order that a TASK comes to, with the caller's and the configuration's terms. */
export function orderOfTask(message: TaskMessage, terms: OrderTerms, reading: TaskReading = {}): Order {
  return decideOrder(textOfTask(message, reading), terms);
}

/** The contents of a TASK in the kernel's words. */
export function textOfTask(message: TaskMessage, reading: TaskReading = {}): OrderText {
  const { session, target, task, execution_policy: policy } = message;
  return {
    isProgram: true,
    provenance: null,
    ...reading,
    message,
    sessionId: session.session_id,
    taskId: task.task_id,
    parentTaskId: task.parent_task_id ?? null,
    objective: task.objective,
    category: task.category,
    priority: (task.priority ?? 'NORMAL').toLowerCase() as Priority,
    target: targetOf(target),
    workspaceRoot: task.environment.workspace_root,
    gitBranch: task.environment.git_branch ?? null,
    inputs: (task.inputs ?? []).map(inputOf),
    outputs: (task.expected_outputs ?? []).map(outputOf),
    phases: phasesOf(message),
    budgets: [task.budgets, task.constraints].map((source) => {
      return { costUsdMax: source?.max_cost_usd, tokensMax: source?.max_tokens };
    }),
    policy: policyOf(message),
    alternatives: (policy?.alternative_models ?? []).map(({ provider, model, fallback_trigger: trigger }) => {
      return { provider, model, trigger: kernelWord(trigger) };
    }),
    isDelegationAllowed: task.constraints?.delegation_allowed ?? false,
    access: accessOf(message),
    asksForBounds: asksForBounds(message),
  };
}

function targetOf(target: TaskMessage['target']): Target {
  const { capabilities } = target;
  return {
    agentName: target.agent_name,
    provider: target.provider,
    model: target.model,
    profile: target.execution_profile ?? null,
    isHeadless: capabilities?.headless_mode ?? true,
    versionsRead: capabilities?.aop_versions_supported ?? null,
  };
}

type WireInput = NonNullable<TaskMessage['task']['inputs']>[number];

function inputOf({ type, path, url, description, content, read_only }: WireInput): OrderInput {
  const about = { url: url ?? null, description: description ?? '', content: content ?? '' };
  return { type, path: path ?? null, ...about, isReadOnly: read_only ?? true };
}

/** By phase_order; phases with the same one keep the order of the message. */
function phasesOf({ phases }: TaskMessage): readonly Phase[] {
  return (phases ?? [])
    .map((phase, position) => ({ order: phase.phase_order, phase: phaseOf(phase, position) }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ phase }) => phase);
}

function policyOf({ execution_policy: policy, guard_rails: rails }: TaskMessage): PolicySources {
  const beat = policy?.heartbeat;
  return {
    guardRails: {
      timeoutSeconds: rails?.timeout_seconds,
      autoTerminateOnTimeout: rails?.auto_terminate_on_timeout,
      abortOnFirstCriticalError: rails?.abort_on_first_critical_error,
      requireMinimalReport: rails?.require_minimal_report,
      requireResult: rails?.require_final_signal,
    },
    executionPolicy: {
      timeoutSeconds: policy?.timeout_seconds,
      autoTerminateOnTimeout: policy?.auto_terminate_on_timeout,
      abortOnFirstCriticalError: policy?.abort_on_first_critical_error,
      retriesMax: policy?.max_retries,
      retryBackoffSeconds: policy?.retry_backoff_seconds,
      onFailure: policy?.on_failure && kernelWord(policy.on_failure),
      heartbeat: {
        enabled: beat?.enabled,
        intervalSeconds: beat?.interval_seconds,
        missedBeatsMax: beat?.max_missed_beats,
        onFailure: beat?.on_heartbeat_failure && kernelWord(beat.on_heartbeat_failure),
      },
    },
  };
}

/** aop:sandbox: an order that sets access, network or read_only_mode asks for bounds that only a sandbox enforces. */
function asksForBounds({ target: { capabilities }, task: { access, constraints } }: TaskMessage): boolean {
  const isSet = (value: unknown) => value !== undefined && value !== null;
  return (
    isSet(access?.filesystem) ||
    [access?.network, capabilities?.network_access, constraints?.network_access].some(isSet) ||
    capabilities?.file_system_access === false ||
    constraints?.read_only_mode === true
  );
}

function accessOf({ target: { capabilities }, task: { access, constraints } }: TaskMessage) {
  const grant = access?.filesystem;
  return {
    fileSystemAccess: capabilities?.file_system_access,
    filesystem: grant && { readPaths: grant.read_paths ?? [], writePaths: grant.write_paths ?? [] },
    readOnlyMode: constraints?.read_only_mode,
    networkLevels: [capabilities?.network_access, access?.network, constraints?.network_access],
  };
}

type WirePhase = NonNullable<TaskMessage['phases']>[number];
type WireCheckpoint = NonNullable<WirePhase['checkpoints']>[number];
/** An output, or an artifact of a checkpoint, which requires the type only. */
type WireOutput = NonNullable<WireCheckpoint['expected_artifacts']>[number];

function outputOf({ type, path, description, validation, rollback_snapshot }: WireOutput): ExpectedOutput {
  return {
    type,
    path: path ?? null,
    description: description ?? '',
    validation: validationOf(validation),
    snapshot: snapshotOf(rollback_snapshot),
  };
}

function phaseOf({ phase_id, label, objective, checkpoints }: WirePhase, position: number): Phase {
  return { id: phase_id, position, label, objective, checkpoints: (checkpoints ?? []).map(checkpointOf) };
}

function checkpointOf(checkpoint: WireCheckpoint): Checkpoint {
  return {
    id: checkpoint.checkpoint_id,
    description: checkpoint.description,
    artifacts: (checkpoint.expected_artifacts ?? []).map(outputOf),
    validation: validationOf(checkpoint.validation),
    // aop:checkpoints: without a strategy it aborts.
    onFailure: kernelWord(checkpoint.recovery_strategy ?? 'ABORT'),
  };
}

function validationOf(validation: WireCheckpoint['validation']): Validation | null {
  return validation ? { command: validation.command, expects: kernelWord(validation.expects) } : null;
}

/** aop:rollback: an enabled snapshot without a strategy is a COPY; NONE saves nothing. */
function snapshotOf(snapshot: WireOutput['rollback_snapshot']): Snapshot | null {
  if (!snapshot?.enabled || snapshot.snapshot_strategy === 'NONE') return null;
  return { strategy: kernelWord(snapshot.snapshot_strategy ?? 'COPY'), path: snapshot.snapshot_path ?? null };
}
