import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { test } from 'node:test';
import { TestTree } from '../../test/support/tree/test-tree.ts';
import type { TaskName } from '../domain/task/task.ts';
import { lastSeq, type StoredEvent } from '../ledger/statements/events.ts';
import { upsertMeta } from '../ledger/statements/meta.ts';
import { decodeAof } from '../protocols/aof/decode.ts';
import { encodeAof } from '../protocols/aof/encode.ts';
import type { AofEvent } from '../protocols/aof/schema/files.ts';
import { EVENTS_MIRRORED, eventLogLine } from './event-log.ts';

const DAY = 'events/2026-02-09.jsonl';
const HOUR_MS = 3_600_000;

/** A tree with a few events, all of them in their file. */
async function withEvents(): Promise<TestTree> {
  const tree = TestTree.started();
  await tree.life.claimed();
  await tree.life.create();
  await tree.drain();
  return tree;
}

/** Every event of the ledger has its line, once and in order. */
function assertWhole(tree: TestTree): void {
  const count = lastSeq(tree.life.at.ledger.read);
  assert.deepEqual(
    tree.events().map(({ eventId }) => eventId),
    Array.from({ length: count }, (_, at) => at + 1),
  );
}

test('a line is what the document shows, with the seq of the ledger', () => {
  const event: StoredEvent = {
    seq: 7,
    type: 'task.completed',
    at: Date.parse('2026-02-09T21:13:00.000Z'),
    actor: 'swe-backend',
    taskId: 'TASK-2026-02-09-057' as TaskName,
    payload: '{"outcome":"done"}',
  };
  const line =
    '{"eventId":7,"type":"task.completed","timestamp":"2026-02-09T21:13:00.000Z","actor":"swe-backend","taskId":"TASK-2026-02-09-057","payload":{"outcome":"done"}}\n';
  assert.equal(eventLogLine(event), line);
  for (const shown of [event, { ...event, taskId: null }]) {
    const verdict = decodeAof(eventLogLine(shown), { kind: 'event' });
    assert.ok(verdict.verdict === 'accepted' && verdict.warnings.length === 0);
    assert.equal(`${encodeAof(verdict.message as AofEvent)}\n`, eventLogLine(shown));
  }
});

test('a line has the payload of its event, whatever texts are in it', async () => {
  const tree = TestTree.started();
  const title = 'a "quoted" title, \\ and \u2028 and \ud83d\ude00';
  await tree.life.create({ title, createdBy: 'o"perator' });
  await tree.drain();
  const [line] = tree.events();
  assert.equal(line?.payload.title, title);
  assert.equal(line?.actor, 'o"perator');
  await tree.mirror.stop();
});

test('every event has its line, in the file of its day', async () => {
  const tree = await withEvents();
  tree.life.at.clock.step(4 * HOUR_MS);
  const id = await tree.life.create();
  tree.life.at.clock.jumpWall(-6 * HOUR_MS);
  await tree.life.move(id, 'ready');
  await tree.drain();
  assert.deepEqual(readdirSync(tree.path('events')), ['2026-02-09.jsonl', '2026-02-10.jsonl']);
  assert.match(tree.text('events/2026-02-10.jsonl'), /^\{"eventId":\d+,"type":"task.created".*\}\n$/);
  assert.match(tree.text(DAY), /"type":"task.transitioned"[^\n]*\n$/);
  await tree.mirror.stop();
});

test('a message that touches no task has its line too', async () => {
  const tree = TestTree.started();
  await tree.life.report('TASK-2026-02-09-404', 'done');
  await tree.mirror.settled();
  assert.ok(tree.events().some(({ payload }) => payload.reason === 'task_not_found'));
  await tree.mirror.stop();
});

test('lines that were written and never recorded are not written twice', async () => {
  const tree = await withEvents();
  await tree.mirror.stop();
  await tree.life.do((tx) => {
    upsertMeta(tx, EVENTS_MIRRORED, '1');
    return {};
  }, {});
  await tree.life.create();
  await tree.restart();
  assertWhole(tree);
  await tree.mirror.stop();
});

test('lines that were recorded and lost in a power cut are written again', async () => {
  const tree = await withEvents();
  tree.life.at.clock.step(4 * HOUR_MS);
  await tree.life.create();
  await tree.drain();
  const [first = ''] = tree.text(DAY).split('\n');
  truncateSync(tree.path(DAY), first.length + 1);
  rmSync(tree.path('events/2026-02-10.jsonl'));
  await tree.restart();
  assertWhole(tree);
  rmSync(tree.path('events'), { recursive: true });
  await tree.restart();
  assertWhole(tree);
  await tree.mirror.stop();
});

const TORN: readonly [string, string][] = [
  ['half a line', '{"eventId":99,"type":"task.cr'],
  ['zeros', '\0\0\0\0\0\0\0\0'],
  ['a whole line that is no record', 'not a record\n'],
  ['several of them', '{"eventId":"x"}\n\n[1]\n{"eve'],
  ['more than one look takes in', `${'x'.repeat(200_000)}\n{"a`],
];

for (const [name, torn] of TORN) {
  test(`a torn end is cut back to the last good record, and told: ${name}`, async () => {
    const tree = await withEvents();
    await tree.mirror.stop();
    appendFileSync(tree.path(DAY), torn);
    await tree.life.create();
    await tree.restart();
    await tree.drain();
    assertWhole(tree);
    const told = tree.events().filter(({ type }) => type.startsWith('incident.'));
    assert.deepEqual(
      told.map(({ type, payload }) => [type, payload.kind]),
      [
        ['incident.opened', 'mirror_torn_events'],
        ['incident.closed', 'mirror_torn_events'],
      ],
    );
    assert.ok(String(told[0]?.payload.detail).includes(JSON.stringify(torn.slice(0, 10)).slice(1, -1)));
    await tree.mirror.stop();
  });
}

test('a file that holds no record at all is begun again', async () => {
  const tree = await withEvents();
  await tree.mirror.stop();
  tree.write(DAY, 'nothing of use');
  await tree.restart();
  await tree.drain();
  assertWhole(tree);
  await tree.mirror.stop();
});

test('a folder in the place of a day stops the lines, not the tasks, until it is gone', async () => {
  const tree = await withEvents();
  rmSync(tree.path('events'), { recursive: true });
  tree.write('events', '');
  const id = await tree.life.create();
  await tree.mirror.settled();
  assert.ok(tree.has(`tasks/backlog/${id}.md`));
  assert.deepEqual(tree.incidents(), ['mirror_enotdir']);
  rmSync(tree.path('events'));
  tree.timer.fire();
  await tree.drain();
  assertWhole(tree);
  assert.deepEqual(tree.incidents(), []);
  await tree.mirror.stop();
});
