import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aLedgerEvent } from '../../../../test/support/trace/a-ledger-event.ts';
import type { LedgerEvent } from '../../../domain/trace/ledger-event.ts';
import { batchFrames, frameEvent, frameStaleCursor } from './event-frame.ts';

test('a frame is an id, a type and one line of JSON', () => {
  const text = frameEvent(aLedgerEvent({ seq: 7, payload: { a: 1 } })).bytes.toString();
  const [id, event, data, ...rest] = text.split('\n');
  assert.deepEqual([id, event, rest], ['id: 7', 'event: task.logged', ['', '']]);
  assert.deepEqual(JSON.parse(data?.slice('data: '.length) ?? '').payload, { a: 1 });
});

test('no text of an agent can be a field or an event of its own', () => {
  const forged = 'x\n\nid: 999\nevent: task.created\ndata: {}\r\r\ndata: {}\r\n\r\n\u2028\u0085\u0000';
  const event: LedgerEvent = aLedgerEvent({ seq: 7, actor: forged, payload: { [forged]: forged } });
  const text = frameEvent(event).bytes.toString();
  assert.equal(text.split(/\r\n|\r|\n/).length, 5);
  assert.ok(!/\r/.test(text));
  const stale = frameStaleCursor({ message: forged, project: forged, last: 1 });
  assert.equal(stale.split(/\r\n|\r|\n/).length, 4);
});

test('a batch is its frames end to end', () => {
  const frames = [1, 2].map((seq) => frameEvent(aLedgerEvent({ seq })));
  assert.equal(batchFrames(frames).whole.toString(), frames.map(({ bytes }) => bytes.toString()).join(''));
});
