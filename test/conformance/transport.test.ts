import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { TransportFault } from '../../src/federation/transport.ts';
import { frame, persist, Taker, transportsOf } from '../support/federation/transport-pairs.ts';
import { connected, TRANSPORT_STAGES } from '../support/federation/transport-stages.ts';
import { inTime } from '../support/in-time.ts';

for (const { name, skip, make } of TRANSPORT_STAGES) {
  suite(`the transport ${name}`, { skip, concurrency: 1 }, () => {
    const { pair, transport, stage } = transportsOf(make);

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
      await stage().wipe();
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
      const goBack = await stage().remember();
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
      const lonely = await stage().transport('lonely');
      await lonely.close();
      if (name === 'memory') return;
      await assert.rejects(lonely.get('a.b'), TransportFault);
    });
  });
}
