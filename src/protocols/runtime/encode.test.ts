import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventOf, PAYLOADS, RECORDS } from '../../../test/support/message/runtime-samples.ts';
import { runtimeCodec } from './codec.ts';
import type { RuntimeMessage } from './kinds.ts';
import { ENVELOPE_KINDS } from './markers.ts';

/** The same value with the keys of every object turned round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, turned(item)]),
  );
}

const TASK_ACK = eventOf('ack', PAYLOADS.task_accept.all);
const SHAPED = ENVELOPE_KINDS.filter((kind) => kind !== 'signal');
const MESSAGES: [string, unknown][] = [
  ...SHAPED.map((kind): [string, unknown] => [kind, eventOf(kind, PAYLOADS[kind].all)]),
  ['ack with a task payload', TASK_ACK],
  ...Object.entries(RECORDS),
];

describe('Runtime encode', () => {
  for (const [name, message] of MESSAGES) {
    it(`a ${name} goes out in the key order of the document`, () => {
      assert.equal(runtimeCodec.encode(turned(message) as RuntimeMessage), JSON.stringify(message));
    });
    it(`a ${name} comes back as it went out`, () => {
      const verdict = runtimeCodec.decode(runtimeCodec.encode(message as RuntimeMessage));
      assert.deepEqual(verdict.verdict === 'accepted' && verdict.message, message);
    });
  }
  it('the payload of a signal keeps the order of its sender', () => {
    const signal = eventOf('signal', { z: { b: 1, a: 2 }, y: 1 });
    assert.equal(runtimeCodec.encode(signal as RuntimeMessage), JSON.stringify(signal));
  });
  it('unknown fields are kept, after the known ones', () => {
    const event: unknown = { zone: 'eu', ...eventOf('reply', { mood: 'good', ...PAYLOADS.reply.all }) };
    const want = { ...eventOf('reply', { ...PAYLOADS.reply.all, mood: 'good' }), zone: 'eu' };
    assert.equal(runtimeCodec.encode(event as RuntimeMessage), JSON.stringify(want));
  });
});

describe('Runtime schemas', () => {
  it('every kind has a schema, and no other word has', () => {
    for (const kind of runtimeCodec.kinds) assert.ok(runtimeCodec.schemaOf(kind), kind);
    for (const kind of ['none', 'toString', '__proto__', '']) assert.equal(runtimeCodec.schemaOf(kind), undefined);
  });
  it('the schema of an ack holds both of its profiles', () => {
    const schema = runtimeCodec.schemaOf('ack');
    assert.equal(schema?.safeParse(TASK_ACK).success, true);
    assert.equal(schema?.safeParse(eventOf('ack', PAYLOADS.ack.all)).success, true);
    assert.equal(schema?.safeParse(eventOf('ack', {})).success, false);
  });
});
