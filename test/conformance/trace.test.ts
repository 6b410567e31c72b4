import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TraceEntryView } from '../../src/api/trace/trace-contract.ts';
import { saopCodec } from '../../src/protocols/saop/codec.ts';
import { recordOutput } from '../../src/trace/record-output.ts';
import { taken } from '../support/taken.ts';
import { chunkText, completedText, eventText, invokedText, turnText } from '../support/trace/saop-messages.ts';
import { TracedRuns } from '../support/trace/traced-runs.ts';

const runs = await TracedRuns.open();
const { server } = runs;
const { local: client } = server;

function range(count: number, name: string): string[] {
  return Array.from({ length: count }, (_, at) => `${name} ${at}`);
}

describe('a trace', () => {
  test('has the turns in the order of their index, whenever they arrived, and the moves of the task', async () => {
    const { id, told, end } = await runs.claimed();
    const order = [3, 0, 5, 4, 1, 2];
    await told(...order.map((index) => turnText(id, index)), invokedText('c1'), completedText('c1'));
    await end();
    const entries = await runs.traceOf(id);
    const moves = entries.filter((entry) => entry.includes(' to '));
    assert.deepEqual(moves, ['backlog to ready', 'ready to in-progress', 'in-progress to ready']);
    assert.deepEqual(
      await runs.traceOf(id, { type: 'TURN' }),
      [0, 1, 2, 3, 4, 5].map((index) => `turn ${index}`),
    );
    assert.deepEqual(entries.slice(-3), ['INVOKED c1', 'COMPLETED c1 success', 'in-progress to ready']);
  });

  test('is the same page by page, from the start and from the end, and by run', async () => {
    const { id, run, told } = await runs.claimed();
    for (const index of [1, 0, 2])
      await told(turnText(id, index), invokedText(`c${index}`), completedText(`c${index}`));
    const whole = taken(await client.readTrace({ task: id })).entries;
    for (const order of ['oldest', 'newest'] as const) {
      for (const limit of [1, 2, 3, 7, 100]) {
        const pages: TraceEntryView[] = [];
        for (let after: string | null | undefined; after !== null; ) {
          const page = taken(await client.readTrace({ task: id, order, limit, ...(after && { after }) }));
          pages.push(...page.entries);
          after = page.next;
        }
        assert.deepEqual(order === 'oldest' ? pages : pages.toReversed(), whole, `${order} by ${limit}`);
      }
    }
    const ofRun = taken(await client.readTrace({ task: id, run: run.id })).entries;
    assert.deepEqual(
      ofRun,
      whole.filter(({ runId }) => runId === run.id),
    );
    assert.equal(((await client.readTrace({ task: id, run: 'run_x' })) as { code: string }).code, 'invalid_argument');
    assert.equal(((await client.readTrace({ task: id, after: 'x' })) as { code: string }).code, 'invalid_argument');
  });

  test('has lines of output that came together one by one, on pages of any size, from both ends', async () => {
    const { id, run, told } = await runs.claimed();
    const print = (count: number, name: string) => {
      const lines = Array.from({ length: count }, (_, at) => ({
        text: `${name} ${at}`,
        isMasked: false,
        at: 1_000 + at,
      }));
      return server.tree.life.at.ledger.submit(recordOutput, { taskId: id, runId: run.id, lines });
    };
    await print(7, 'first');
    await told(turnText(id, 1));
    await print(1, 'one');
    await print(500, 'many');
    await told(turnText(id, 0), invokedText('c'), completedText('c'));
    const whole: TraceEntryView[] = [];
    for (const order of ['oldest', 'newest'] as const) {
      for (const limit of [500, 3, 7, 100]) {
        const pages: TraceEntryView[] = [];
        for (let after: string | null | undefined; after !== null; ) {
          const page = taken(await client.readTrace({ task: id, order, limit, ...(after && { after }) }));
          assert.ok(page.entries.length <= limit);
          pages.push(...page.entries);
          after = page.next;
        }
        const inOrder = order === 'oldest' ? pages : pages.toReversed();
        if (whole.length === 0) whole.push(...inOrder);
        assert.deepEqual(inOrder, whole, `${order} by ${limit}`);
      }
    }
    const lines = whole.filter(({ type }) => type === 'SANDBOX_PULSE').map(({ message }) => message.payload);
    assert.deepEqual(
      lines.map((payload) => (payload as { line: string }).line),
      [...range(7, 'first'), 'one 0', ...range(500, 'many')],
    );
    const { events } = taken(await client.listEvents({ task: id, type: 'trace.event_recorded' }));
    const announced = events.flatMap(({ payload }) => (payload.messages as object[] | undefined) ?? [payload.message]);
    const recorded = whole.filter(({ type }) => type !== 'TURN' && type !== 'TASK_TRANSITION');
    assert.deepEqual(
      announced,
      recorded.map(({ message }) => message),
    );
  });

  test('is messages that the codec accepts, and the log has each of them', async () => {
    const { id, told } = await runs.claimed();
    await told(chunkText(0, 'hm'), chunkText(0, '', true), turnText(id, 0), invokedText('c'), completedText('c'));
    const { entries } = taken(await client.readTrace({ task: id }));
    for (const { message } of entries) {
      assert.equal(saopCodec.decode(JSON.stringify(message)).verdict, 'accepted', JSON.stringify(message));
    }
    const { events } = taken(await client.listEvents({ task: id }));
    const announced = events.filter(({ payload }) => payload.message !== undefined);
    assert.deepEqual(
      announced.map(({ eventId, payload }) => [eventId, payload.message]),
      entries.map(({ eventId, message }) => [eventId, message]),
    );
    const newest = taken(await client.listEvents({ task: id, order: 'newest', limit: 2 })).events;
    assert.deepEqual(newest, events.toReversed().slice(0, 2));
    const before = newest.at(-1)?.eventId ?? 0;
    const rest = taken(await client.listEvents({ task: id, order: 'newest', before })).events;
    assert.deepEqual([...newest, ...rest], events.toReversed());
  });

  test('shows no secret, wherever it was split, and the ledger keeps the thought as it came', async () => {
    const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4xY7z'.slice(0, 28)}`;
    const thought = `with ${secret} it works`;
    for (let at = 1; at < thought.length; at++) {
      const { id, told } = await runs.claimed();
      await told(
        chunkText(0, thought.slice(0, at)),
        chunkText(0, thought.slice(at), true),
        turnText(id, 0, { thought }),
      );
      const { entries } = taken(await client.readTrace({ task: id, whole: true }));
      const chunks = entries.filter(({ type }) => type === 'THOUGHT_STREAM').map(({ message }) => message.payload);
      const shown = chunks.map((payload) => (payload as { chunk: string }).chunk).join('');
      assert.equal(shown, 'with [REDACTED:github_token] it works', `at ${at}`);
      const { events } = taken(await client.listEvents({ task: id }));
      for (const text of [JSON.stringify(entries), JSON.stringify(events)])
        assert.ok(!text.includes(secret.slice(4, 16)));
      const stored = server.tree.life.at.ledger.read.all('SELECT envelope_json FROM agent_logs WHERE task_id = ?', id);
      assert.ok(stored.some(({ envelope_json: envelope }) => String(envelope).includes(secret)));
    }
  });

  test('has terminal output with its secrets masked before it is stored', async () => {
    const { id, told } = await runs.claimed();
    const pulse = (line: string) =>
      eventText({ type: 'SANDBOX_PULSE', line, masked: false, timestamp: '2026-02-09T21:00:00.000Z' });
    await told(pulse('DB=postgres://me:pa55word@db/x'), pulse('12 passed'));
    const stored = server.tree.life.at.ledger.read.all(
      'SELECT envelope_json FROM agent_logs WHERE task_id = ? ORDER BY seq',
      id,
    );
    const lines = stored.map(({ envelope_json: envelope }) => JSON.parse(String(envelope)).payload);
    assert.deepEqual(
      lines.map(({ line, masked }) => [line, masked]),
      [
        ['DB=postgres://[REDACTED:url_credentials]@db/x', true],
        ['12 passed', false],
      ],
    );
  });

  test('of a long thought is cut in a page and in the log, and whole when it is asked for', async () => {
    const { id, told } = await runs.claimed();
    const thought = 'x'.repeat(50_000);
    await told(turnText(id, 0, { thought }));
    const shown = taken(await client.readTrace({ task: id, type: 'TURN' })).entries[0];
    const text = JSON.stringify(shown?.message);
    assert.ok(shown?.isCut && text.length < 20_000 && text.includes('[cut: 50000 characters]'));
    const whole = taken(await client.readTrace({ task: id, type: 'TURN', whole: true })).entries[0];
    assert.ok(whole && !whole.isCut && JSON.stringify(whole.message).includes(thought));
  });
});

describe('a thought', () => {
  test('that its agent did not stream is streamed with its turn, once', async () => {
    const { id, told } = await runs.claimed();
    await told(turnText(id, 0), turnText(id, 0), turnText(id, 1, { thought: '' }));
    assert.deepEqual((await runs.traceOf(id)).slice(2), ['turn 0', '0 "thought 0" final', 'turn 1', '1 "" final']);
  });

  test('takes no chunk after its last one, whoever sent that', async () => {
    const { id, send, told } = await runs.claimed();
    await told(chunkText(0, 'a'), chunkText(0, 'b', true), turnText(id, 1));
    for (const index of [0, 1]) {
      const { verdict, code, errors } = await send(chunkText(index, 'c'));
      assert.deepEqual([verdict, code, errors[0]?.path], ['refused', 'thought_ended', '/payload/turn_index']);
    }
  });
});

describe('the end of a run', () => {
  test('ends its open thoughts, and its open tool calls as timeouts, once', async () => {
    const { id, told, send, end } = await runs.claimed();
    await told(chunkText(0, 'a'), chunkText(0, 'b', true), chunkText(1, 'c'), invokedText('c1'), invokedText('c2'));
    await told(completedText('c2'));
    await end();
    const entries = await runs.traceOf(id);
    assert.deepEqual(entries.slice(-3).sort(), ['1 "c" final', 'COMPLETED c1 timeout', 'in-progress to ready']);
    assert.equal((await send(completedText('c1'))).code, 'call_not_open');
    assert.equal(entries.filter((entry) => entry.endsWith('final')).length, 2);
  });
});
