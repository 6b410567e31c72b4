import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isKey, type Transport, TransportFault } from '../../src/federation/transport.ts';
import { transportsOf } from '../support/federation/transport-pairs.ts';
import { TRANSPORT_STAGES } from '../support/federation/transport-stages.ts';
import { inTime } from '../support/in-time.ts';

for (const { name, skip, make } of TRANSPORT_STAGES) {
  suite(`the store of the transport ${name}`, { skip, concurrency: 1 }, () => {
    const { pair, transport } = transportsOf(make);

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
      const key = `agents.race.${source}`;
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
      assert.deepEqual(await from.list(`agents.list.${source}.`), []);
      for (const key of ['a', 'b.c', 'd']) await from.put(`agents.list.${source}.${key}`, key, 0);
      await from.put(`agents.list.${source}-other.a`, 'x', 0);
      const gone = await from.get(`agents.list.${source}.d`);
      await from.remove(`agents.list.${source}.d`, gone?.revision ?? 0);
      const found = await from.list(`agents.list.${source}.`);
      assert.deepEqual(found.map(({ value }) => value).sort(), ['a', 'b.c']);
    });

    test('the age of a record grows by the clock of the store', async () => {
      const { from, to, source } = await pair();
      await from.put(`agents.age.${source}`, 'x', 0);
      const young = (await to.get(`agents.age.${source}`))?.ageMs ?? -1;
      await wait(300);
      const old = (await to.get(`agents.age.${source}`))?.ageMs ?? -1;
      assert.ok(young >= 0 && young < 5_000 && old >= young + 200, `${young} then ${old}`);
    });

    test('a watch tells the keys that change below its prefix', async () => {
      const { from, to, source } = await pair();
      const seen: string[] = [];
      let wake = () => {};
      const end = await to.watch(`agents.watched.${source}.`, (key) => {
        seen.push(key);
        wake();
      });
      await from.put(`agents.other.${source}.x`, '1', 0);
      await from.put(`agents.watched.${source}.x`, '1', 0);
      while (seen.length === 0) {
        await inTime(
          new Promise<void>((resolve) => {
            wake = resolve;
          }),
          'a change',
        );
      }
      assert.deepEqual([...new Set(seen)], [`agents.watched.${source}.x`]);
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
  });
}
