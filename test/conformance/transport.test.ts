import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Arrival, type Frame, isKey, type Transport, TransportFault } from '../../src/federation/transport.ts';
import { inTime } from '../support/in-time.ts';
import { connected, TRANSPORT_STAGES, type TransportStage } from '../support/transport-stages.ts';

/** Calls again while the store cannot be reached, as every caller does. */
async function persist<Value>(call: () => Promise<Value>): Promise<Value> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof TransportFault) || tries > 100) throw error;
      await wait(50);
    }
  }
}

function frame(source: string, dest: string, seq: number, more: Partial<Frame> = {}): Frame {
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
class Taker {
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

for (const { name, skip, make } of TRANSPORT_STAGES) {
  suite(`the transport ${name}`, { skip, concurrency: 1 }, () => {
    let stage: TransportStage;
    let nodes = 0;
    const open: Transport[] = [];
    const transport = async (node: string) => {
      const made = await stage.transport(node);
      open.push(made);
      return made;
    };
    /** Two nodes that no other test uses, the first with an outbox. */
    const pair = async () => {
      nodes++;
      const [from, to] = [await transport(`from-${nodes}`), await transport(`to-${nodes}`)];
      await from.ownHead();
      return { from, to, source: `from-${nodes}`, dest: `to-${nodes}` };
    };
    before(async () => {
      stage = await make();
    });
    after(async () => {
      await Promise.all(open.map((each) => each.close()));
      await stage.close();
    });

    test('frames come out as they went in, in their order', async () => {
      const { from, to, source, dest } = await pair();
      const sent = [1, 2, 3].map((seq) =>
        frame(source, dest, seq, { fences: 'emma=3,critic=1', recordedAt: 1_700_000_000_000 }),
      );
      await from.append(sent);
      const taker = new Taker();
      await to.subscribe(source, null, taker.take);
      await taker.has(3);
      assert.deepEqual(
        taker.arrivals.map((arrival) => arrival.frame),
        sent,
      );
    });

    test('frames that are added later follow, and those for others do not come', async () => {
      const { from, to, source, dest } = await pair();
      const taker = new Taker();
      await to.subscribe(source, null, taker.take);
      await from.append([frame(source, dest, 1)]);
      await taker.has(1);
      await from.append([frame(source, 'somebody-else', 2), frame(source, dest, 3)]);
      await taker.has(2);
      assert.deepEqual(taker.seqs, [1, 3]);
    });

    test('a subscription continues after a position', async () => {
      const { from, to, source, dest } = await pair();
      await from.append([1, 2, 3, 4].map((seq) => frame(source, dest, seq)));
      const first = new Taker();
      const subscription = await to.subscribe(source, null, first.take);
      await first.has(4);
      await subscription.close();
      const second = new Taker();
      await to.subscribe(source, first.arrivals[1]?.position ?? null, second.take);
      await second.has(2);
      assert.deepEqual(second.seqs, [3, 4]);
    });

    test('a position that is no position means the beginning', async () => {
      const { from, to, source, dest } = await pair();
      await from.append([frame(source, dest, 1)]);
      const taker = new Taker();
      await to.subscribe(source, 'nonsense', taker.take);
      await taker.has(1);
    });

    test('the same frame twice is stored once', async () => {
      const { from, to, source, dest } = await pair();
      await from.append([frame(source, dest, 1)]);
      await from.append([frame(source, dest, 1), frame(source, dest, 2)]);
      const taker = new Taker();
      await to.subscribe(source, null, taker.take);
      await taker.hasSeq(2);
      assert.deepEqual(taker.seqs, [1, 2]);
    });

    test('an outbox that does not exist yet is read when it does', async () => {
      const { from, to, source, dest } = await pair();
      const taker = new Taker();
      const late = await transport(`late-${source}`);
      await to.subscribe(`late-${source}`, null, taker.take);
      await late.ownHead();
      await late.append([frame(`late-${source}`, dest, 1)]);
      await taker.has(1);
      assert.ok(from.isConnected);
    });

    test('the own head is that of the last frame, also of one for another node', async () => {
      const { from, source, dest } = await pair();
      assert.equal(await from.ownHead(), null);
      await from.append([frame(source, dest, 1), frame(source, 'other', 2)]);
      assert.deepEqual(await from.ownHead(), { epoch: 'route-epoch-1', seq: 2 });
    });

    test('drained waits for every frame of this node', async () => {
      const { from, to, source, dest } = await pair();
      const taker = new Taker();
      const subscription = await to.subscribe(source, null, async (found) => {
        await wait(5);
        await taker.take(found);
      });
      await inTime(subscription.drained(), 'an empty outbox');
      await from.append([...Array(20).keys()].map((at) => frame(source, at % 2 ? dest : 'other', at + 1)));
      await inTime(subscription.drained(), 'the end');
      assert.equal(taker.arrivals.length, 10);
    });

    test('the next frames come when the taker is done, and come again if it failed', async () => {
      const { from, to, source, dest } = await pair();
      const taker = new Taker();
      let failures = 1;
      let inside = 0;
      await to.subscribe(source, null, async (found) => {
        assert.equal(++inside, 1);
        await wait(2);
        inside--;
        if (failures-- > 0) throw new Error('not now');
        await taker.take(found);
      });
      await from.append([frame(source, dest, 1)]);
      await wait(20);
      await from.append([frame(source, dest, 2)]);
      await taker.has(2);
      assert.deepEqual(taker.seqs, [1, 2]);
    });

    test('frames that could not be taken come again, also when no other frame follows', async () => {
      const { from, to, source, dest } = await pair();
      await from.append([frame(source, dest, 1), frame(source, dest, 2)]);
      const taker = new Taker();
      const failed = Promise.withResolvers<void>();
      let failures = 1;
      const subscription = await to.subscribe(source, null, async (found) => {
        if (failures-- > 0) {
          failed.resolve();
          throw new Error('not now');
        }
        await taker.take(found);
      });
      await failed.promise;
      // A simulation has no time of its own.
      if (name === 'memory') await subscription.drained();
      await taker.has(2);
      assert.deepEqual(taker.seqs, [1, 2]);
    });

    test('trim removes what is at or before the head, and earlier epochs', async () => {
      const { from, to, source, dest } = await pair();
      const later = { epoch: 'route-epoch-2' };
      await from.append([frame(source, dest, 1), frame(source, dest, 2)]);
      await from.append([1, 2, 3].map((seq) => frame(source, dest, seq, later)));
      await from.trim({ epoch: 'route-epoch-2', seq: 2 });
      const taker = new Taker();
      await to.subscribe(source, null, taker.take);
      await taker.has(1);
      assert.deepEqual([taker.seqs, await from.ownHead()], [[3], { epoch: 'route-epoch-2', seq: 3 }]);
    });

    test('a record is created once, and changed only by who saw its last state', async () => {
      const { from, to, source } = await pair();
      const key = `agents.${source}`;
      assert.equal(await from.get(key), null);
      const first = await from.put(key, 'one', 0);
      assert.ok(first !== null && first > 0);
      assert.equal(await to.put(key, 'mine', 0), null);
      const second = await to.put(key, 'two', first);
      assert.ok(second !== null && second > first);
      assert.equal(await from.put(key, 'three', first), null);
      const found = await from.get(key);
      assert.deepEqual([found?.value, found?.revision], ['two', second]);
      assert.equal(await from.remove(key, first), false);
      assert.equal(await from.remove(key, second), true);
      assert.equal(await from.get(key), null);
      assert.ok((await from.put(key, 'again', 0)) !== null);
    });

    test('of 32 writers that change one record, one wins each turn', async () => {
      const { from, source } = await pair();
      const key = `race.${source}`;
      const writers = await Promise.all(Array.from({ length: 4 }, (_, at) => transport(`writer-${source}-${at}`)));
      assert.ok(await from.put(key, '0', 0));
      let wins = 0;
      const race = Array.from({ length: 32 }, async (_, at) => {
        const writer = writers[at % writers.length] as Transport;
        for (let isDone = false; !isDone; ) {
          const seen = await writer.get(key);
          if (!seen) throw new Error('the record is gone');
          isDone = (await writer.put(key, String(Number(seen.value) + 1), seen.revision)) !== null;
          if (isDone) wins++;
        }
      });
      await Promise.all(race);
      assert.deepEqual([wins, (await from.get(key))?.value], [32, '32']);
    });

    test('a list has the records below its prefix, and no others', async () => {
      const { from, source } = await pair();
      assert.deepEqual(await from.list(`list.${source}.`), []);
      for (const key of ['a', 'b.c', 'd']) await from.put(`list.${source}.${key}`, key, 0);
      await from.put(`list.${source}-other.a`, 'x', 0);
      const gone = await from.get(`list.${source}.d`);
      await from.remove(`list.${source}.d`, gone?.revision ?? 0);
      const found = await from.list(`list.${source}.`);
      assert.deepEqual(found.map(({ value }) => value).sort(), ['a', 'b.c']);
    });

    test('the age of a record grows by the clock of the store', async () => {
      const { from, to, source } = await pair();
      await from.put(`age.${source}`, 'x', 0);
      const young = (await to.get(`age.${source}`))?.ageMs ?? -1;
      await wait(300);
      const old = (await to.get(`age.${source}`))?.ageMs ?? -1;
      assert.ok(young >= 0 && young < 5_000 && old >= young + 200, `${young} then ${old}`);
    });

    test('a watch tells the keys that change below its prefix', async () => {
      const { from, to, source } = await pair();
      const seen: string[] = [];
      let wake = () => {};
      const end = await to.watch(`watched.${source}.`, (key) => {
        seen.push(key);
        wake();
      });
      await from.put(`other.${source}.x`, '1', 0);
      await from.put(`watched.${source}.x`, '1', 0);
      while (seen.length === 0) {
        await inTime(
          new Promise<void>((resolve) => {
            wake = resolve;
          }),
          'a change',
        );
      }
      assert.deepEqual([...new Set(seen)], [`watched.${source}.x`]);
      end();
    });

    test('a key with anything but letters, digits, dots, - and _ is refused', async () => {
      const { from } = await pair();
      for (const key of ['a b', 'a.*', 'a.>', 'a..b', '.a', 'a.', '', 'a/b', 'ä', 'x'.repeat(257)]) {
        assert.equal(isKey(key), false, key);
        await assert.rejects(from.put(key, 'x', 0), TransportFault);
      }
    });

    test('blobs are stored under their hash, whatever their size', async () => {
      const { from, to } = await pair();
      for (const size of [0, 1, 1_000, 3_000_000]) {
        const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251);
        const hash = createHash('sha256').update(bytes).digest('hex');
        assert.deepEqual([await to.hasBlob(hash), await to.getBlob(hash)], [false, null]);
        await from.putBlob(hash, bytes);
        assert.equal(await to.hasBlob(hash), true);
        assert.deepEqual(Buffer.from((await to.getBlob(hash)) ?? []), Buffer.from(bytes));
        await from.removeBlob(hash);
        assert.equal(await to.hasBlob(hash), false);
      }
    });

    test('a store that lost everything is told, and takes the same frames again', async () => {
      const { from, to, source, dest } = await pair();
      const taker = new Taker();
      await to.subscribe(source, null, taker.take);
      const frames = [1, 2, 3].map((seq) => frame(source, dest, seq));
      await from.append(frames);
      await taker.has(3);
      let connections = 0;
      from.onConnected(() => connections++);
      const before = connections;
      await stage.wipe();
      while (connections === before) await wait(20);
      assert.equal(await persist(() => from.ownHead()), null);
      await persist(() => from.append([...frames, frame(source, dest, 4)]));
      await taker.hasSeq(4);
      assert.equal(await persist(() => to.get(`agents.${source}`)), null);
    });

    test('a store that was put back to an earlier state passes on what is added to it', async () => {
      const { from, to, source, dest } = await pair();
      const taker = new Taker();
      await to.subscribe(source, null, taker.take);
      await from.append([1, 2].map((seq) => frame(source, dest, seq)));
      await taker.has(2);
      const goBack = await stage.remember();
      await Promise.all([connected(from), connected(to)]);
      await persist(() => from.append([3, 4, 5, 6].map((seq) => frame(source, dest, seq))));
      await taker.hasSeq(6);
      let connections = 0;
      from.onConnected(() => connections++);
      const before = connections;
      await goBack();
      while (connections === before) await wait(20);
      assert.deepEqual(await persist(() => from.ownHead()), { epoch: 'route-epoch-1', seq: 2 });
      await persist(() => from.append([3, 4, 5, 6, 7].map((seq) => frame(source, dest, seq))));
      await taker.hasSeq(7);
    });

    test('a closed transport refuses every call', async () => {
      const lonely = await stage.transport('lonely');
      await lonely.close();
      if (name === 'memory') return;
      await assert.rejects(lonely.get('a.b'), TransportFault);
    });
  });
}
