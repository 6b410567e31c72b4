import {
  AOP_ACTIONS_ADVISED_MAX,
  AOP_CHECKPOINTS_PER_PHASE_ADVISED_MAX,
  AOP_EXPECTED_OUTPUTS_MAX,
  AOP_INPUTS_MAX,
  AOP_OBJECTIVE_WARN_CHARACTERS,
  AOP_PHASES_ADVISED_MAX,
} from '../../domain/federation/message-limits.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import type { Issue, Path } from '../issue.ts';
import type { ResponseMessage } from './schema/response.ts';
import type { TaskMessage } from './schema/task.ts';

/** The demands of a TASK on its RESPONSE (AOP §5); both are on unless the TASK turns them off. */
export interface ResponseGuardRails {
  readonly requireFinalSignal: boolean;
  readonly requireMinimalReport: boolean;
}

export const DEFAULT_GUARD_RAILS: ResponseGuardRails = { requireFinalSignal: true, requireMinimalReport: true };

/** AOP §4, HARD rows that count items. Looked at before the schema, so the value may be anything. */
export function tooManyItems(value: unknown): Issue[] {
  const task = isJsonObject(value) && isJsonObject(value.task) ? value.task : {};
  return [
    ...overCount(task.inputs, AOP_INPUTS_MAX, ['task', 'inputs']),
    ...overCount(task.expected_outputs, AOP_EXPECTED_OUTPUTS_MAX, ['task', 'expected_outputs']),
  ];
}

function overCount(list: unknown, max: number, path: Path): Issue[] {
  if (!Array.isArray(list) || list.length <= max) return [];
  return [{ path, kind: 'over-limit', what: 'the list', max, unit: 'items', got: list.length }];
}

/** AOP §4, SOFT rows of a TASK. */
export function taskOverAdvisedSize(message: TaskMessage): Issue[] {
  const { objective } = message.task;
  const issues: Issue[] = [];
  if (objective.length > AOP_OBJECTIVE_WARN_CHARACTERS) {
    issues.push(
      ...nearLimit(['task', 'objective'], [...objective].length, {
        max: AOP_OBJECTIVE_WARN_CHARACTERS,
        unit: 'characters',
      }),
    );
  }
  const phases = message.phases ?? [];
  issues.push(...nearLimit(['phases'], phases.length, { max: AOP_PHASES_ADVISED_MAX, unit: 'phases' }));
  phases.forEach((phase, at) => {
    const advised = { max: AOP_CHECKPOINTS_PER_PHASE_ADVISED_MAX, unit: 'checkpoints' };
    issues.push(...nearLimit(['phases', at, 'checkpoints'], phase.checkpoints?.length ?? 0, advised));
  });
  return issues;
}

/** AOP §4, the SOFT row of a RESPONSE. */
export function responseOverAdvisedSize(message: ResponseMessage): Issue[] {
  const actions = message.execution_summary?.actions ?? [];
  return nearLimit(['execution_summary', 'actions'], actions.length, { max: AOP_ACTIONS_ADVISED_MAX, unit: 'actions' });
}

/** AOP §5: require_final_signal. */
export function finalSignalMissing(message: ResponseMessage): Issue[] {
  if (message.task_status.final_signal) return [];
  return [{ path: ['task_status', 'final_signal'], kind: 'missing' }];
}

/** AOP §5: require_minimal_report, a non-empty summary and actions. */
export function minimalReportMissing(message: ResponseMessage): Issue[] {
  const summary = message.execution_summary;
  if (!summary) return [{ path: ['execution_summary'], kind: 'missing' }];
  const because = 'the guard rail require_minimal_report asks for it';
  const issues: Issue[] = [];
  if (!summary.summary) issues.push({ path: ['execution_summary', 'summary'], kind: 'needed-because', because });
  if (!summary.actions?.length)
    issues.push({ path: ['execution_summary', 'actions'], kind: 'needed-because', because });
  return issues;
}

/** A SOFT row: how many are advised at most. */
interface AdvisedLimit {
  readonly max: number;
  readonly unit: string;
}

function nearLimit(path: Path, got: number, { max, unit }: AdvisedLimit): Issue[] {
  if (got <= max) return [];
  return [{ path, code: 'E_PAYLOAD_SIZE_WARNING', kind: 'near-limit', what: 'it', max, unit, got }];
}
