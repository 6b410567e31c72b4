import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventView } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import { followOrder } from './follow-order.ts';

const TASK = 'TASK-2026-02-09-001';
const TYPES = ['order.admitted', 'run.launched', 'run.spoke', 'run.exited', 'order.settled', 'order.reported'] as const;

/** A node whose order makes one event for each time that somebody asks for events. */
function nodeInSteps() {
  const calls: string[] = [];
  let made = 0;
  const client = {
    orderReport: async () => {
      calls.push('report');
      return { isOver: made === TYPES.length, round: 1 };
    },
    listEvents: async ({ after, type }: { after: number; type?: string }) => {
      calls.push('events');
      made = Math.min(made + 1, TYPES.length);
      const events = TYPES.slice(0, made).map((name, at) => ({ eventId: at + 1, type: name, payload: {} }));
      return { events: events.filter(({ eventId, type: name }) => eventId > after && (type ?? name).includes(name)) };
    },
    readLog: async ({ after }: { after: number }) => {
      calls.push('log');
      return { entries: [], next: Math.min(after + 1, 3) };
    },
  } as unknown as NodeClient;
  return { client, calls };
}

async function follow(types?: string) {
  const { client, calls } = nodeInSteps();
  const shown: string[] = [];
  const timer = { pause: async () => undefined };
  const following = { client, task: TASK, timer, after: 0, ...(types !== undefined && { types }) };
  for await (const update of followOrder(following)) {
    shown.push(update.kind === 'event' ? (update.event as EventView).type : update.kind);
  }
  return { shown, count: (name: string) => calls.filter((each) => each === name).length };
}

test('a report comes after all events of its order and is asked for twice: at first, and at the end', async () => {
  const { shown, count } = await follow();
  assert.deepEqual(
    shown.filter((kind) => kind !== 'output'),
    [...TYPES, 'report'],
  );
  assert.equal(count('report'), 2);
  assert.ok(count('log') > 0);
});

test('a program that reads the end alone asks for no output, and still gets the report', async () => {
  const { shown, count } = await follow('order.requeued,order.reported');
  assert.deepEqual(shown, ['order.reported', 'report']);
  assert.deepEqual([count('log'), count('report')], [0, 2]);
});
