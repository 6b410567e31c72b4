import type { Order } from '../../../domain/order.ts';
import { decodeAop } from '../../../protocols/aop/decode.ts';
import type { AopEvent, AopMessage } from '../../../protocols/aop/kinds.ts';
import type { ResponseMessage } from '../../../protocols/aop/schema/response.ts';
import type { Malformed } from '../../../protocols/codec.ts';
import { detectProtocol } from '../../../protocols/detect.ts';
import { readJson } from '../../../protocols/json-text.ts';
import { decodeSaopValue } from '../../../protocols/saop/decode.ts';
import type { AgentSignal } from '../../agent-driver.ts';

/** What an object that an agent printed means; nothing where it is no message to Baton, null where it is no JSON. */
export function takeMessage(text: string, order: Order): readonly AgentSignal[] | null {
  const reading = readJson(text);
  if (reading.value === undefined) return null;
  switch (detectProtocol(reading.value)) {
    case 'aop':
      return takeAop(text, order);
    case 'saop':
      return decodeSaopValue(reading.value).verdict === 'accepted' && reading.kind === 'value'
        ? [{ kind: 'turn', text }]
        : [];
    default:
      return [];
  }
}

function takeAop(text: string, order: Order): readonly AgentSignal[] {
  const { requireFinalSignal, requireMinimalReport } = order.policy;
  const verdict = decodeAop(text, { requireFinalSignal, requireMinimalReport });
  if (verdict.verdict === 'foreign') return [];
  if (verdict.verdict === 'malformed') return isAnswer(verdict) ? [firstProblem(verdict)] : [];
  const { message } = verdict;
  if (isResponse(message)) return takeResponse(message, text, order);
  return isEvent(message) && isAbout(message, order) ? [{ kind: 'event', event: message }] : [];
}

/** An EVENT that is wrong is only not taken. What does not even parse may have been the answer (decisions §1, Codes). */
function isAnswer({ kind, code }: Malformed): boolean {
  return kind === 'RESPONSE' || code === 'E_PARSE_FAILURE';
}

function takeResponse(message: ResponseMessage, text: string, order: Order): readonly AgentSignal[] {
  if (message.session_id !== order.sessionId) {
    return [malformed(`session_id is not ${order.sessionId}, which the TASK has`, '/session_id')];
  }
  if (message.task_id !== order.taskId) {
    return [malformed(`task_id is not ${order.taskId}, which the TASK has`, '/task_id')];
  }
  return [{ kind: 'response', message, text }];
}

function isAbout(event: AopEvent, { sessionId, taskId }: Order): boolean {
  return event.session_id === sessionId && event.task_id === taskId;
}

function isResponse(message: AopMessage): message is ResponseMessage {
  return 'message_type' in message && message.message_type === 'RESPONSE';
}

function isEvent(message: AopMessage): message is AopEvent {
  return 'message_type' in message && message.message_type === 'EVENT';
}

function firstProblem({ errors: [problem] }: Malformed): AgentSignal {
  return malformed(problem?.message ?? 'the answer is not well formed', problem?.path ?? '');
}

export function malformed(message: string, path = ''): AgentSignal {
  return { kind: 'malformed', code: 'E_MALFORMED_RESPONSE', message, path };
}
