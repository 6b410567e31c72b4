import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTime } from '../../../../test/support/in-time.ts';
import { RawStream, requestText } from '../../../../test/support/node/raw-http.ts';
import { TestServer, TOKEN } from '../../../../test/support/node/test-server.ts';
import { pick, randomOf, SEED } from '../../../../test/support/seed.ts';
import { TestTimer } from '../../../../test/support/test-timer.ts';
import { SSE_HEARTBEAT_MS } from '../../../domain/http-limits.ts';
import { insertEvent } from '../../../ledger/statements/events.ts';
import type { Tx } from '../../../ledger/tx.ts';
import { systemTimer } from '../../../platform/timer.ts';
import type { EventView } from '../../contract.ts';
import { NodeFault } from '../../node-fault.ts';

function openRaw(server: TestServer, query = '', headers: readonly string[] = []): RawStream {
  const { port } = server.http;
  const head = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${TOKEN}`, ...headers];
  return new RawStream(port, requestText(`GET /v1/events${query} HTTP/1.1`, head));
}

function idsOf(text: string): number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
}

async function make(server: TestServer, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => server.local.createTask({ title: `Task ${at}` })));
}

/** An event of 100 kB. */
async function tellMuch(server: TestServer): Promise<void> {
  const payload = { reason: 'x'.repeat(100_000) };
  const command = (tx: Tx) => insertEvent(tx, { type: 'task.edited', actor: 'operator', taskId: null, payload });
  await server.at.ledger.submit(command, {});
}

async function take(events: AsyncGenerator<EventView>, count: number): Promise<EventView[]> {
  const taken: EventView[] = [];
  while (taken.length < count) {
    const next = await inTime(events.next(), `event ${taken.length + 1} of ${count}`);
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

function upTo(count: number, from = 1): number[] {
  return Array.from({ length: count }, (_, at) => at + from);
}

test('a stream is id, type and one line of data, and begins now unless told otherwise', {
  timeout: 60_000,
}, async () => {
  const server = await TestServer.open({ isTreeless: true });
  await make(server, 2);
  const stream = openRaw(server);
  await stream.until((text) => text.includes(': after 2\n'));
  await server.local.createTask({ title: 'a\u2028b "quoted"' });
  const text = await stream.until((all) => all.includes('id: 3'));
  const [head, body = ''] = text.split('\r\n\r\n');
  assert.match(head ?? '', /^HTTP\/1\.1 200/);
  assert.match(head ?? '', /content-type: text\/event-stream/i);
  assert.match(head ?? '', /cache-control: no-store/i);
  const shape = /^retry: 1000\n: after 2\n\nid: 3\nevent: task\.created\ndata: (\{[^\n]*\})\n\n$/.exec(body);
  const [event] = await take(server.follow({ after: 2 }), 1);
  assert.deepEqual(JSON.parse(shape?.[1] ?? ''), event);
  stream.socket.destroy();
});

test('it goes on after ?after and after Last-Event-ID, which counts more', { timeout: 60_000 }, async () => {
  const server = await TestServer.open({ isTreeless: true });
  await make(server, 5);
  const after = openRaw(server, '?after=3');
  assert.deepEqual(idsOf(await after.until((text) => text.includes('id: 5'))), [4, 5]);
  const back = openRaw(server, '?after=0', ['Last-Event-ID: 4']);
  assert.deepEqual(idsOf(await back.until((text) => text.includes('id: 5'))), [5]);
  for (const { socket } of [after, back]) socket.destroy();
});

test('a cursor that is not of this log is told once, and the stream ends', { timeout: 60_000 }, async () => {
  const server = await TestServer.open({ isTreeless: true });
  await make(server, 1);
  for (const query of ['?after=2', '?project=prj_other', '?after=0&project=prj_other']) {
    const text = await openRaw(server, query).closed();
    assert.match(text, /\r\n\r\nevent: stale_cursor\ndata: \{"code":"stale_cursor".*"last":1\}\n\n$/, query);
  }
  await assert.rejects(
    take(server.follow({ after: 99 }), 1),
    (error) => error instanceof NodeFault && error.code === 'stale_cursor' && !error.retryable,
  );
});

test('filters by task, by run and by type hold for what was and for what comes', { timeout: 60_000 }, async () => {
  const server = await TestServer.open({ isTreeless: true });
  await make(server, 2);
  const held = await server.local.claimTask({ task: 'Task 0', agent: 'swe', run: null });
  const run = 'run' in held ? held.run.id : '';
  const wanted = { task: { task: 'Task 0' }, run: { run }, type: { type: 'task.created,run.*' } };
  const streams = Object.values(wanted).map((filter) => server.follow({ after: 0, ...filter }));
  const first = await Promise.all(streams.map((stream) => take(stream, 1)));
  await server.local.createTask({ title: 'Task 2' });
  await server.local.endTask({ task: 'Task 0', agent: 'swe', run: null });
  const [ofTask = [], ofRun = [], ofType = []] = await Promise.all([
    take(streams[0] as AsyncGenerator<EventView>, 5),
    take(streams[1] as AsyncGenerator<EventView>, 3),
    take(streams[2] as AsyncGenerator<EventView>, 3),
  ]);
  const types = (at: number, more: readonly EventView[]) => [...(first[at] ?? []), ...more].map(({ type }) => type);
  assert.deepEqual(types(0, ofTask), [
    'task.created',
    'task.transitioned',
    'task.transitioned',
    'task.claimed',
    'run.ended',
    'task.transitioned',
  ]);
  assert.ok([...(first[0] ?? []), ...ofTask].every(({ taskId }) => taskId === ofTask[0]?.taskId));
  assert.deepEqual(types(2, ofType), ['task.created', 'task.created', 'task.created', 'run.ended']);
  assert.ok(types(1, ofRun).length === 4 && !types(1, ofRun).includes('incident.opened'));
  for (const stream of streams) await stream.return(undefined);
});

test(`readers that come and go under load have every event once and in order (seed ${SEED})`, {
  timeout: 60_000,
}, async () => {
  const server = await TestServer.open({ isTreeless: true });
  const total = 4_000;
  const read = async (index: number): Promise<number[]> => {
    const random = randomOf(SEED, index);
    const seen: number[] = [];
    while (seen.length < total) {
      const stop = new AbortController();
      const stream = server.follow({ after: seen.at(-1) ?? 0, signal: stop.signal });
      const some = await take(stream, Math.min(pick([1, 7, 250, 1_500], random), total - seen.length));
      seen.push(...some.map(({ eventId }) => eventId));
      if (random(2) === 0) stop.abort();
      else await stream.return(undefined);
    }
    return seen;
  };
  const readers = upTo(8).map(read);
  for (let made = 0; made < total; made += 50) await make(server, 50);
  for (const seen of await Promise.all(readers)) assert.deepEqual(seen, upTo(total));
  assert.deepEqual(server.faults, []);
});

test('readers that do not read are cut off at 1 MiB each, cost no more than that, and resume without loss', {
  timeout: 60_000,
}, async () => {
  const server = await TestServer.open({ isTreeless: true });
  await make(server, 1);
  const stuck = upTo(20).map(() => openRaw(server, '?after=1'));
  await Promise.all(stuck.map((stream) => stream.until((text) => text.includes(': after'))));
  for (const { socket } of stuck) socket.pause();
  const quick = server.follow({ after: 1 });
  const seenByQuick = take(quick, 200);
  const before = process.memoryUsage().rss;
  let highest = 0;
  for (let at = 0; at < 200; at++) {
    await tellMuch(server);
    highest = Math.max(highest, process.memoryUsage().rss - before);
  }
  assert.deepEqual(
    (await seenByQuick).map(({ eventId }) => eventId),
    upTo(200, 2),
  );
  await quick.return(undefined);
  // 20 readers times 20 MB, if nothing held it back.
  assert.ok(highest < 200 * 1024 * 1024, `${Math.round(highest / 1024 / 1024)} MiB`);
  for (const { socket } of stuck) socket.resume();
  const texts = await Promise.all(stuck.map((stream) => stream.closed()));
  for (const text of texts) {
    const whole = idsOf(text.slice(0, text.lastIndexOf('\n\n') + 2));
    assert.ok(whole.length < 200);
    assert.deepEqual(whole, upTo(whole.length, 2));
  }
  const had = idsOf((texts[0] ?? '').slice(0, texts[0]?.lastIndexOf('\n\n'))).length;
  const rest = server.follow({ after: 1 + had });
  assert.deepEqual(
    (await take(rest, 200 - had)).map(({ eventId }) => eventId),
    upTo(200 - had, 2 + had),
  );
  await rest.return(undefined);
});

test('a reader that stops to read while it still catches up is cut off at 1 MiB of what is new, and resumes', {
  timeout: 60_000,
}, async () => {
  // No beat ever comes: it is what it misses that has it cut off.
  const real = systemTimer();
  const after = (ms: number, call: () => void) => (ms === SSE_HEARTBEAT_MS ? () => {} : real.after(ms, call));
  const server = await TestServer.open({ isTreeless: true, timer: { ...real, after } });
  for (let at = 0; at < 200; at++) await tellMuch(server);
  const stuck = openRaw(server, '?after=0');
  stuck.socket.pause();
  // Asked for later, and all there: the other has had what it takes.
  await take(server.follow({ after: 0 }), 200);
  for (let at = 0; at < 50; at++) await tellMuch(server);
  stuck.socket.resume();
  const text = await stuck.closed();
  const had = idsOf(text.slice(0, text.lastIndexOf('\n\n') + 2));
  assert.ok(had.length > 0 && had.length < 200, `${had.length} events`);
  assert.deepEqual(had, upTo(had.length));
  const rest = await take(server.follow({ after: had.length }), 250 - had.length);
  assert.equal(rest.at(-1)?.eventId, 250);
});

test('much at once is no fault of a reader that keeps up', { timeout: 60_000 }, async () => {
  const server = await TestServer.open({ isTreeless: true });
  await make(server, 1);
  const stream = openRaw(server, '?after=1');
  await stream.until((text) => text.includes(': after'));
  await Promise.all(upTo(60).map(() => tellMuch(server)));
  assert.deepEqual(
    idsOf(await stream.until((text) => text.includes('id: 61\n') && text.endsWith('\n\n'))),
    upTo(60, 2),
  );
  stream.socket.destroy();
});

test('a comment comes every 15 s, and a reader that takes nothing from one to the next is let go', {
  timeout: 60_000,
}, async () => {
  const timer = new TestTimer();
  const server = await TestServer.open({ isTreeless: true, timer });
  const stream = openRaw(server);
  await stream.until((text) => text.includes(': after'));
  assert.deepEqual(timer.waits, [15_000]);
  timer.fire();
  await stream.until((text) => text.endsWith(': beat\n\n'));
  const edits = upTo(150).map((at) => server.local.createTask({ title: `${at}${'x'.repeat(400)}` }));
  await Promise.all(edits);
  await stream.until((text) => text.includes('id: 150\n'));
  stream.socket.pause();
  for (let at = 0; at < 100; at++) await tellMuch(server);
  timer.fire();
  timer.fire();
  timer.fire();
  stream.socket.resume();
  await stream.closed();
});

test('a node that stops ends its streams', { timeout: 60_000 }, async () => {
  const server = await TestServer.open({ isTreeless: true });
  const stream = openRaw(server);
  await stream.until((text) => text.includes(': after'));
  await server.http.close();
  await stream.closed();
});

test('more readers than there is room for are asked to come later', { timeout: 60_000 }, async () => {
  const server = await TestServer.open({ isTreeless: true });
  const readers = upTo(512).map(() => openRaw(server));
  await Promise.all(readers.map((reader) => reader.until((text) => text.includes(': after'))));
  const late = await server.get('/v1/events');
  assert.equal(late.status, 429);
  readers[0]?.socket.destroy();
  await readers[0]?.closed();
  for (const { socket } of readers) socket.destroy();
});
