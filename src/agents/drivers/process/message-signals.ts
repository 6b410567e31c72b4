import type { AgentSignal, MalformedClaimSignal } from '../../../domain/agent-signal.ts';
import type { Order } from '../../../domain/order.ts';
import { decodeClaim, decodeEvent, decodeUsage } from '../../../protocols/aop/agent-signals.ts';
import { decodeAop } from '../../../protocols/aop/decode.ts';
import type { AopEvent } from '../../../protocols/aop/kinds.ts';
import type { ResponseMessage } from '../../../protocols/aop/schema/response.ts';
import type { Malformed } from '../../../protocols/codec.ts';
import { detectProtocol } from '../../../protocols/detect.ts';
import { readJson } from '../../../protocols/json-text.ts';

/** Reads the JSON messages that one run prints: AOP about its own task, AOF, SAOP turns and events. */
export class MessageSignals {
  readonly #order: Order | null;
  readonly #agent: string | null;

  /**
   * Without an order the agent was given no TASK, so no AOP message can be about it. It speaks in its own name, or in
   * that of the target of its TASK.
   */
  constructor(order: Order | null, agent: string | null) {
    this.#order = order;
    this.#agent = agent;
  }

  /** The signals of an object that the agent printed; none where it is no message, null where it is not JSON. */
  read(text: string): readonly AgentSignal[] | null {
    const reading = readJson(text);
    if (reading.value === undefined) return null;
    switch (detectProtocol(reading.value)) {
      case 'aop':
        return this.#order ? this.#readAop(text, this.#order) : [];
      case 'saop':
      case 'aof':
        return [{ kind: 'message', text }];
      default:
        return [];
    }
  }

  /** Whether an AOP message that breaks off counts as a malformed claim. */
  get expectsClaim(): boolean {
    return this.#order !== null;
  }

  #readAop(text: string, order: Order): readonly AgentSignal[] {
    const { requireResult, requireMinimalReport } = order.policy;
    const verdict = decodeAop(text, { requireFinalSignal: requireResult, requireMinimalReport });
    if (verdict.verdict === 'foreign') return [];
    if (verdict.verdict === 'malformed') {
      if (isClaim(verdict)) return [firstProblem(verdict)];
      // An agent that prints the TASK it was given is no sender of an order.
      return verdict.kind === 'TASK' ? [] : [{ kind: 'message', text }];
    }
    const { message } = verdict;
    if (!('message_type' in message) || message.message_type === 'TASK') return [];
    return message.message_type === 'RESPONSE'
      ? this.#readResponse(message, text, order)
      : this.#readEvent(message, text, order);
  }

  #readResponse(message: ResponseMessage, text: string, { sessionId, taskId }: Order): readonly AgentSignal[] {
    if (message.session_id !== sessionId) {
      return [malformedClaim(`session_id is not ${sessionId}, which the TASK has`, '/session_id')];
    }
    if (message.task_id !== taskId) {
      return [malformedClaim(`task_id is not ${taskId}, which the TASK has`, '/task_id')];
    }
    return [{ kind: 'claim', claim: decodeClaim(message, text) }, ...decodeUsage(message.cost_tracking)];
  }

  /** The node refuses an event of another task or in the name of another agent, and says so in the log of the run. */
  #readEvent(event: AopEvent, text: string, { sessionId, taskId, target }: Order): readonly AgentSignal[] {
    const isOwnTask = event.session_id === sessionId && event.task_id === taskId;
    const isOwnName = !event.agent || this.#agent === null || [this.#agent, target.agentName].includes(event.agent);
    return isOwnTask && isOwnName ? decodeEvent(event) : [{ kind: 'message', text }];
  }
}

export function malformedClaim(message: string, path = '', isTooLarge = false): MalformedClaimSignal {
  return { kind: 'malformed-claim', message, path, ...(isTooLarge && { isTooLarge }) };
}

/** A text that does not parse may have been the claim, so it counts as one. */
function isClaim({ kind, code }: Malformed): boolean {
  return kind === 'RESPONSE' || code === 'E_PARSE_FAILURE';
}

function firstProblem({ errors: [problem], code }: Malformed): MalformedClaimSignal {
  const isTooLarge = code === 'E_CONTEXT_OVERFLOW';
  return malformedClaim(problem?.message ?? 'the answer is not well formed', problem?.path ?? '', isTooLarge);
}
