import { after, before } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Arrival, type Frame, type Transport, TransportFault } from '../../../src/federation/transport.ts';
import { inTime } from '../in-time.ts';
import type { TransportStage } from './transport-stages.ts';

/** Calls again while the store cannot be reached, as every caller does. */
export async function persist<Value>(call: () => Promise<Value>): Promise<Value> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof TransportFault) || tries > 100) throw error;
      await wait(50);
    }
  }
}

export function frame(source: string, dest: string, seq: number, more: Partial<Frame> = {}): Frame {
  const envelope = JSON.stringify({ eventId: `evt_${source}_${seq}`, text: 'ünïcode 🙂 "quoted"\n' });
  return {
    source,
    dest,
    epoch: 'route-epoch-1',
    seq,
    prev: seq - 1,
    fences: '',
    recordedAt: 1,
    seal: 's',
    envelope,
    ...more,
  };
}

/** Collects what a subscription passes on. */
export class Taker {
  readonly arrivals: Arrival[] = [];
  readonly batches: number[] = [];
  #wake: () => void = () => {};

  readonly take = async (found: readonly Arrival[]): Promise<void> => {
    this.arrivals.push(...found);
    this.batches.push(found.length);
    this.#wake();
  };

  get seqs(): number[] {
    return this.arrivals.map((arrival) => arrival.frame.seq);
  }

  async has(count: number): Promise<void> {
    while (this.arrivals.length < count) {
      await inTime(
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
        `${count} frames, of which ${this.arrivals.length} came`,
      );
    }
  }

  async hasSeq(seq: number): Promise<void> {
    while (!this.seqs.includes(seq)) await this.has(this.arrivals.length + 1);
  }
}

/** The transports of a suite; they and their stage are closed after it. */
export function transportsOf(make: () => Promise<TransportStage>) {
  let stage: TransportStage;
  let nodes = 0;
  const open: Transport[] = [];
  before(async () => {
    stage = await make();
  });
  after(async () => {
    await Promise.all(open.map((each) => each.close()));
    await stage.close();
  });
  const transport = async (node: string) => {
    const made = await stage.transport(node);
    open.push(made);
    return made;
  };
  return {
    transport,
    stage: () => stage,
    /** Two nodes that no other test uses, the first with an outbox. */
    pair: async () => {
      nodes++;
      const [from, to] = [await transport(`from-${nodes}`), await transport(`to-${nodes}`)];
      await from.ownHead();
      return { from, to, source: `from-${nodes}`, dest: `to-${nodes}` };
    },
  };
}
