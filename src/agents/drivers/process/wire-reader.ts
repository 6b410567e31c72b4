import type { AgentSignal } from '../../../domain/agent-signal.ts';
import { AOP_RESPONSE_BYTES_MAX } from '../../../domain/message-limits.ts';
import type { Order } from '../../../domain/order.ts';
import { AOF_PREFIX } from '../../../protocols/detect.ts';
import type { OutputReader } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { type GivenUpLine, JsonBlock } from './json-block.ts';
import { MessageSignals, malformedClaim } from './message-signals.ts';

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
    const isMessage = read.some(({ kind }) => kind !== 'malformed-claim');
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
