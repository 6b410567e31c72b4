import type { MessageKind } from '../judge-value.ts';
import {
  finalSignalMissing,
  minimalReportMissing,
  type ResponseGuardRails,
  responseOverAdvisedSize,
  taskOverAdvisedSize,
} from './rules.ts';
import {
  type HeartbeatEvent,
  heartbeatSchema,
  type PriorityEscalationEvent,
  type ProgressUpdateEvent,
  priorityEscalationSchema,
  progressUpdateSchema,
  type RollbackInitiatedEvent,
  rollbackInitiatedSchema,
  type SessionFinalReportEvent,
  sessionFinalReportSchema,
  type VersionFallbackEvent,
  versionFallbackSchema,
} from './schema/events.ts';
import { type ResponseMessage, responseMessageSchema } from './schema/response.ts';
import { type TaskMessage, taskMessageSchema } from './schema/task.ts';
import type { V1Prompt } from './v1-markdown.ts';

export type AopEvent =
  | HeartbeatEvent
  | ProgressUpdateEvent
  | PriorityEscalationEvent
  | RollbackInitiatedEvent
  | VersionFallbackEvent
  | SessionFinalReportEvent;

export type AopMessage = TaskMessage | ResponseMessage | AopEvent | V1Prompt;

export const AOP_SCHEMAS = {
  TASK: taskMessageSchema,
  RESPONSE: responseMessageSchema,
  HEARTBEAT: heartbeatSchema,
  PROGRESS_UPDATE: progressUpdateSchema,
  PRIORITY_ESCALATION: priorityEscalationSchema,
  ROLLBACK_INITIATED: rollbackInitiatedSchema,
  VERSION_FALLBACK: versionFallbackSchema,
  SESSION_FINAL_REPORT: sessionFinalReportSchema,
} as const;

type AopKind = Omit<MessageKind<AopMessage>, 'unknownFields'>;

/** The schema and rules of a kind; the version of the message decides on unknown fields. */
export function kindOf(kind: string, guardRails: ResponseGuardRails): AopKind | null {
  if (kind === 'TASK') return judged(kind, { advice: [taskOverAdvisedSize] });
  if (kind === 'RESPONSE') {
    const rules = [];
    if (guardRails.requireFinalSignal) rules.push(finalSignalMissing);
    if (guardRails.requireMinimalReport) rules.push(minimalReportMissing);
    return judged(kind, { rules, advice: [responseOverAdvisedSize], code: 'E_MALFORMED_RESPONSE' });
  }
  return kind in AOP_SCHEMAS ? judged(kind as keyof typeof AOP_SCHEMAS, {}) : null;
}

interface Particulars {
  readonly rules?: readonly unknown[];
  readonly advice?: readonly unknown[];
  readonly code?: string;
}

function judged(kind: keyof typeof AOP_SCHEMAS, of: Particulars): AopKind {
  return {
    kind,
    schema: AOP_SCHEMAS[kind],
    rules: (of.rules ?? []) as MessageKind<AopMessage>['rules'],
    advice: (of.advice ?? []) as MessageKind<AopMessage>['advice'],
    codeOf: () => of.code ?? 'E_SCHEMA_VALIDATION',
  };
}
