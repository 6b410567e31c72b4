import { AOP_ACTIONS_ADVISED_MAX } from '../../../domain/federation/message-limits.ts';
import type { HeartbeatEvent, ProgressUpdateEvent } from '../../../protocols/aop/schema/events.ts';
import type { ResponseMessage } from '../../../protocols/aop/schema/response.ts';
import type { TurnEnvelope } from '../../../protocols/saop/schema.ts';
import type { DemoSignal, DemoTask } from './demo-task.ts';
import type { TouchedFile } from './demo-workspace.ts';

type Ids = NonNullable<DemoTask['ids']>;

export interface DemoCost {
  readonly usd: number;
  readonly tokens: number;
}

export interface DemoError {
  readonly code: 'E_PERMISSION_DENIED' | 'E_UNKNOWN';
  readonly message: string;
}

/** The work of the demo agent so far. */
export interface DemoRecord {
  readonly startedAt: Date;
  readonly actions: readonly string[];
  readonly errors: readonly DemoError[];
  readonly touched: readonly TouchedFile[];
  readonly cost: DemoCost;
}

const VERSION = { aop_version: '2.0.2-C', schema_version: '2.0.2', protocol_family: 'AOP' } as const;

/** The time and progress that a message reports. */
export interface DemoProgress {
  readonly at: Date;
  readonly percentage: number;
  readonly phase: { readonly id: string; readonly label: string } | null;
}

export function heartbeat(ids: Ids, { at, percentage, phase }: DemoProgress, cost: DemoCost): HeartbeatEvent {
  return {
    ...VERSION,
    message_type: 'EVENT',
    event: 'HEARTBEAT',
    session_id: ids.sessionId,
    task_id: ids.taskId,
    timestamp: at.toISOString(),
    agent: ids.agent,
    progress_percentage: percentage,
    ...(phase ? { current_phase: phase.id } : {}),
    extensions: { x_cost_tracking: costTracking(cost) },
  };
}

export function progressUpdate(ids: Ids, { at, percentage, phase }: DemoProgress, cost: DemoCost): ProgressUpdateEvent {
  return {
    ...VERSION,
    message_type: 'EVENT',
    event: 'PROGRESS_UPDATE',
    session_id: ids.sessionId,
    task_id: ids.taskId,
    timestamp: at.toISOString(),
    agent: ids.agent,
    progress: {
      percentage,
      ...(phase ? { current_phase: phase.id } : {}),
      message: phase ? phase.label : 'the work is done',
    },
    extensions: { x_cost_tracking: costTracking(cost) },
  };
}

export function thoughtTurn(
  ids: Ids,
  turn: { readonly index: number; readonly thought: string; readonly at: Date },
): TurnEnvelope {
  return {
    turn_index: turn.index,
    agent_id: 'developer',
    role: 'developer',
    content: { thought: turn.thought, action: '', observation: '' },
    metadata: {
      version: '1.0.0',
      task_id: ids.taskId,
      timestamp: turn.at.toISOString(),
      confidence: 1,
      estimated_complexity: 'low',
    },
  };
}

const STATES = { SUCCESS: 'COMPLETED', PARTIAL_SUCCESS: 'COMPLETED', FAILURE: 'FAILED', ABORTED: 'ABORTED' } as const;

export function response(
  ids: Ids,
  record: DemoRecord,
  said: { readonly signal: DemoSignal; readonly at: Date },
): ResponseMessage {
  const summary = demoSummary(record);
  const [firstError] = record.errors;
  return {
    ...VERSION,
    message_type: 'RESPONSE',
    session_id: ids.sessionId,
    task_id: ids.taskId,
    agent: { name: ids.agent, provider: 'LOCAL', model: 'none' },
    task_status: { state: STATES[said.signal], final_signal: said.signal, message: summary },
    execution_summary: {
      summary,
      actions: ['Read the task.', ...record.actions].slice(0, AOP_ACTIONS_ADVISED_MAX),
      output_artifacts: [...record.touched],
      warnings: [],
      errors: record.errors.map(({ message }) => message),
    },
    ...(firstError === undefined ? {} : { error_details: errorDetails(firstError) }),
    timing: {
      started_at: record.startedAt.toISOString(),
      completed_at: said.at.toISOString(),
      duration_seconds: Math.max(0, said.at.getTime() - record.startedAt.getTime()) / 1_000,
    },
    cost_tracking: costTracking(record.cost),
    progress_log: { last_progress_event_at: said.at.toISOString(), progress_percentage: 100 },
  };
}

export function demoSummary({ touched, errors }: Pick<DemoRecord, 'touched' | 'errors'>): string {
  const files = touched.length === 1 ? '1 file was touched' : `${touched.length} files were touched`;
  const failed = errors.length === 0 ? '' : ` ${errors.length} of the lines could not be obeyed.`;
  return `The demo agent did what the @demo lines and the outputs of the task say: ${files}.${failed} No model was used.`;
}

function errorDetails({ code, message }: DemoError) {
  return { error_code: code, message, recovery_suggestions: [], attempts: [] };
}

function costTracking({ usd, tokens }: DemoCost) {
  return {
    estimated_cost_usd: usd,
    actual_cost_usd: usd,
    tokens_input: 0,
    tokens_output: tokens,
    model_pricing_tier: 'none',
  };
}
