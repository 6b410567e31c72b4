import type { Order } from '../../../domain/order.ts';
import { AOF_PREFIX } from '../../../protocols/detect.ts';
import type { AgentSignal, OutputReader } from '../../agent-driver.ts';
import type { OutputLine } from '../../sandbox/sandbox.ts';
import { type GivenUpLine, JsonBlock } from './json-block.ts';
import { SpendTally } from './spend-tally.ts';
import { malformed, takeMessage } from './take-message.ts';

type WireLine = GivenUpLine & Pick<OutputLine, 'isTruncated'>;

/**
 * Reads the wire of the process driver: AOP messages, SAOP turns and events and AOF/1 lines on stdout, one a line, or an
 * AOP message over several; all else is terminal output.
 */
export class WireReader implements OutputReader {
  readonly #order: Order;
  readonly #tally = new SpendTally();
  /** Begun with a line and not over yet; its lines are held. */
  #block: JsonBlock | null = null;

  constructor(order: Order) {
    this.#order = order;
  }

  line({ stream, text, isTruncated }: OutputLine): readonly AgentSignal[] {
    if (stream === 'stderr') return [{ kind: 'output', stream, text }];
    const signals: AgentSignal[] = [];
    this.#takeAll([{ text, isTruncated, begun: null }], signals);
    return signals.length === 0 ? [{ kind: 'beat' }] : signals;
  }

  end(): readonly AgentSignal[] {
    const signals: AgentSignal[] = [];
    while (this.#block) this.#takeAll(this.#giveUpBlock(), signals);
    return signals;
  }

  /** Where a block comes to nothing, what it held is read again. */
  #takeAll(lines: readonly WireLine[], signals: AgentSignal[]): void {
    let waiting = lines;
    for (let at = 0; at < waiting.length; at++) {
      const line = waiting[at];
      const again = line ? this.#take(line, signals) : [];
      if (again.length === 0) continue;
      waiting = [...again, ...waiting.slice(at + 1)];
      at = -1;
    }
  }

  /** The lines that are to be read again. */
  #take(line: WireLine, signals: AgentSignal[]): readonly WireLine[] {
    const { text, isTruncated, begun } = line;
    if (begun || (!this.#block && !JsonBlock.mayBegin(text))) {
      signals.push(text.startsWith(AOF_PREFIX) && !isTruncated ? { kind: 'aof', text } : output(text));
      // Decisions §1, Codes: what starts like an AOP object and does not parse.
      if (begun?.isAop) signals.push(malformed('an AOP message was begun, and what was printed does not parse'));
      return [];
    }
    this.#block ??= new JsonBlock();
    const state = this.#block.take(text);
    if (state === 'open' && !isTruncated) return [];
    const taken = state === 'closed' && !isTruncated ? takeMessage(this.#block.text, this.#order) : null;
    if (taken === null) return this.#giveUpBlock(isTruncated);
    this.#settleBlock(this.#block, taken, signals);
    return [];
  }

  #settleBlock({ lines }: JsonBlock, taken: readonly AgentSignal[], signals: AgentSignal[]): void {
    this.#block = null;
    const isTaken = taken.some(({ kind }) => kind !== 'malformed');
    if (!isTaken) for (const line of lines) signals.push(output(line));
    for (const signal of taken) {
      signals.push(signal);
      const spend = this.#tally.take(costOf(signal));
      if (spend) signals.push(spend);
    }
  }

  #giveUpBlock(isLastTruncated = false): readonly WireLine[] {
    const lines = this.#block?.giveUp() ?? [];
    this.#block = null;
    return lines.map((line, at) => ({ ...line, isTruncated: isLastTruncated && at === lines.length - 1 }));
  }
}

/** An answer tells its cost in a field; an event may tell the cost so far in an extension of the same form. */
function costOf(signal: AgentSignal): unknown {
  if (signal.kind === 'response') return signal.message.cost_tracking;
  return signal.kind === 'event' ? signal.event.extensions?.x_cost_tracking : null;
}

function output(text: string): AgentSignal {
  return { kind: 'output', stream: 'stdout', text };
}
