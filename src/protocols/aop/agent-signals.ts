import type { AgentSignal, ProgressSignal, UsageSignal } from '../../domain/agent/agent-signal.ts';
import type { Claim } from '../../domain/execution/findings.ts';
import { isJsonObject, type JsonObject } from '../../domain/words/json-object.ts';
import type { AopEvent } from './kinds.ts';
import type { ResponseMessage } from './schema/response.ts';
import { failureOfAopCode, RESULT_OF_SIGNAL } from './words.ts';

/** AOP §6: the signals of a HEARTBEAT or PROGRESS_UPDATE of an agent, whichever channel it came by. */
export function decodeEvent(event: AopEvent): readonly AgentSignal[] {
  return [decodeProgress(event) ?? { kind: 'beat' }, ...decodeUsage(event.extensions?.x_cost_tracking)];
}

/** Null for an EVENT that is a sign of life only. */
function decodeProgress(message: AopEvent): ProgressSignal | null {
  if (message.event === 'PROGRESS_UPDATE') {
    const { percentage, current_phase, current_checkpoint, ...progress } = message.progress;
    return {
      kind: 'progress',
      percentage,
      phase: current_phase ?? null,
      checkpoint: current_checkpoint ?? null,
      text: progress.message ?? '',
      remainingSeconds: progress.estimated_time_remaining_seconds ?? null,
      isForSender: true,
    };
  }
  if (message.event !== 'HEARTBEAT' || typeof message.progress_percentage !== 'number') return null;
  return {
    kind: 'progress',
    percentage: message.progress_percentage,
    phase: message.current_phase ?? null,
    checkpoint: message.current_checkpoint ?? null,
    text: message.current_phase ?? '',
    remainingSeconds: null,
    isForSender: false,
  };
}

/** AOP §5: an agent's RESPONSE as the kernel's claim; `text` is the RESPONSE as it was printed. */
export function decodeClaim(message: ResponseMessage, text: string): Claim {
  const { task_status: status, error_details: error, execution_summary: account, cost_tracking: cost } = message;
  return {
    result: status.final_signal ? RESULT_OF_SIGNAL[status.final_signal] : null,
    code: failureOfAopCode(error?.error_code ?? ''),
    message: error?.message ?? status.message ?? '',
    summary: account?.summary ?? '',
    actions: account?.actions ?? [],
    warnings: account?.warnings ?? [],
    errors: account?.errors ?? [],
    estimatedCostUsd: cost?.estimated_cost_usd ?? null,
    ...(message.extensions && { extensions: message.extensions }),
    ...(account?.extensions && { summaryExtensions: account.extensions }),
    text,
  };
}

/** A cost_tracking reports the whole run so far; a field that is absent or not an amount is null. */
export function decodeUsage(costTracking: unknown): readonly UsageSignal[] {
  if (!isJsonObject(costTracking)) return [];
  const { model_pricing_tier: tier } = costTracking;
  return [
    {
      kind: 'usage',
      costUsd: amount(costTracking, 'actual_cost_usd') ?? amount(costTracking, 'estimated_cost_usd'),
      tokensInput: amount(costTracking, 'tokens_input'),
      tokensOutput: amount(costTracking, 'tokens_output'),
      tier: typeof tier === 'string' ? tier : null,
    },
  ];
}

function amount(values: JsonObject, name: string): number | null {
  const value = values[name];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
