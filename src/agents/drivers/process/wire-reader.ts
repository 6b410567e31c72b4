import type { AgentSignal, MalformedClaimSignal } from '../../../domain/agent/agent-signal.ts';
import { AOP_RESPONSE_BYTES_MAX } from '../../../domain/federation/message-limits.ts';
import type { Order } from '../../../domain/order/order.ts';
import { isJsonObject } from '../../../domain/words/json-object.ts';
import { decodeClaim, decodeEvent, decodeUsage } from '../../../protocols/aop/agent-signals.ts';
import { decodeAop } from '../../../protocols/aop/decode.ts';
import type { AopEvent } from '../../../protocols/aop/kinds.ts';
import type { ResponseMessage } from '../../../protocols/aop/schema/response.ts';
import type { Malformed } from '../../../protocols/codec.ts';
import { AOF_PREFIX, detectProtocol } from '../../../protocols/detect.ts';
import { readJson } from '../../../protocols/json-text.ts';
import { isBarePayload } from '../../../protocols/saop/kinds.ts';
import type { OutputReader } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { type GivenUpLine, JsonBlock } from './json-block.ts';

type WireLine = GivenUpLine & Pick<OutputLine, 'isTruncated'>;

/**
 * Reads what a program prints for the process driver: AOP messages, SAOP turns and events and AOF/1 lines on stdout, each
 * on one line or, if it is JSON, over several (aop:agent-output). Every other line is terminal output.
 */
export class WireReader implements OutputReader {
  readonly #messages: MessageSignals;
  /** JSON that further lines may complete; its lines are held back. */
  #block: JsonBlock | null = null;

  /** The order of the TASK that the agent was given; null where it was given words. */
  constructor(order: Order | null, agent: string | null = null) {
    this.#messages = new MessageSignals(order, agent);
  }

  line({ stream, text, isTruncated }: OutputLine): readonly AgentSignal[] {
    if (stream === 'stderr') return [{ kind: 'output', stream, text }];
    const signals: AgentSignal[] = [];
    this.#readAll([{ text, isTruncated, begun: null, isTooLong: false }], signals);
    return signals.length === 0 ? [{ kind: 'beat' }] : signals;
  }

  end(): readonly AgentSignal[] {
    const signals: AgentSignal[] = [];
    while (this.#block) this.#readAll(this.#giveUpBlock(), signals);
    return signals;
  }

  /** The lines of a block that turns out not to be JSON are read again. */
  #readAll(lines: readonly WireLine[], signals: AgentSignal[]): void {
    let waiting = lines;
    for (let at = 0; at < waiting.length; at++) {
      const line = waiting[at];
      const again = line ? this.#readLine(line, signals) : [];
      if (again.length === 0) continue;
      waiting = [...again, ...waiting.slice(at + 1)];
      at = -1;
    }
  }

  /** Returns the lines to read again. */
  #readLine(line: WireLine, signals: AgentSignal[]): readonly WireLine[] {
    const { text, isTruncated, begun, isTooLong } = line;
    if (begun || (!this.#block && !JsonBlock.mayBegin(text))) {
      signals.push(text.startsWith(AOF_PREFIX) && !isTruncated ? { kind: 'message', text } : output(text));
      if (begun?.isAop && this.#messages.expectsClaim) {
        signals.push(brokenClaim(isTooLong || isTruncated));
      }
      return [];
    }
    this.#block ??= new JsonBlock();
    const state = this.#block.take(text);
    if (state === 'open' && !isTruncated) return [];
    const read = state === 'closed' && !isTruncated ? this.#messages.read(this.#block.text) : null;
    if (read === null) return this.#giveUpBlock(isTruncated);
    this.#settleBlock(this.#block, read, signals);
    return [];
  }

  #settleBlock({ lines }: JsonBlock, read: readonly AgentSignal[], signals: AgentSignal[]): void {
    this.#block = null;
    const isMessage = read.some(({ kind }) => kind !== 'malformed-claim' && kind !== 'decisions');
    if (!isMessage) for (const line of lines) signals.push(output(line));
    signals.push(...read);
  }

  #giveUpBlock(isLastTruncated = false): readonly WireLine[] {
    const lines = this.#block?.giveUp() ?? [];
    this.#block = null;
    return lines.map((line, at) => ({ ...line, isTruncated: isLastTruncated && at === lines.length - 1 }));
  }
}

function brokenClaim(isTooLarge: boolean): AgentSignal {
  const what = isTooLarge
    ? `an AOP message was begun that is larger than ${AOP_RESPONSE_BYTES_MAX} bytes`
    : 'an AOP message was begun, and what was printed does not parse';
  return malformedClaim(what, '', isTooLarge);
}

function output(text: string): AgentSignal {
  return { kind: 'output', stream: 'stdout', text };
}

/** Reads the JSON messages that one run prints: AOP about its own task, AOF, SAOP turns and events. */
class MessageSignals {
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
        if (hasDecisions(reading.value)) return [{ kind: 'decisions', text }];
        return isJsonObject(reading.value) && isBarePayload(reading.value) ? [{ kind: 'message', text }] : [];
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

/** AFP §3.2: what an agent that fixes findings says about each. It is no message of its own. */
function hasDecisions(value: unknown): boolean {
  const applied = isJsonObject(value) ? value.applied_feedback : null;
  return isJsonObject(applied) && Array.isArray(applied.items);
}

function malformedClaim(message: string, path = '', isTooLarge = false): MalformedClaimSignal {
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
