import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { DecodeHints } from '../codec.ts';
import { aofCodec } from './codec.ts';
import type { AofMessage } from './kinds.ts';

const accepted = new URL('../../../test/corpus/aof/accepted/', import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, accepted), 'utf8');
}

function decoded(text: string, hints: DecodeHints): AofMessage {
  const verdict = aofCodec.decode(text, hints);
  assert.ok(verdict.verdict === 'accepted', JSON.stringify(verdict));
  return verdict.message;
}

/** The same value with every object's keys turned round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, below]) => [key, turned(below)]),
  );
}

const MESSAGES = [
  'example-1-completion-report.json',
  'example-2-completion-report.json',
  'example-3-status-update.json',
  'example-4-status-update.json',
  'example-5-handoff-request.json',
  'example-6-handoff-accepted.json',
  'example-7-handoff-rejected.json',
];

for (const name of MESSAGES) {
  test(`${name} goes out on one line in the order of the document`, () => {
    const text = read(name);
    const message = turned(JSON.parse(text)) as AofMessage;
    assert.equal(aofCodec.encode(message), JSON.stringify(JSON.parse(text)));
    assert.deepEqual(decoded(aofCodec.encode(message), {}), message);
  });
}

const FILES = [
  ['run', 'run/run.json'],
  ['run_heartbeat', 'run_heartbeat/run_heartbeat.json'],
  ['run_result', 'run_result-done/run_result.json'],
  ['handoff', 'handoff/handoff.json'],
] as const;

for (const [kind, name] of FILES) {
  test(`${kind} is written in the order of the document, for people to read`, () => {
    const text = read(name);
    const file = turned(JSON.parse(text)) as AofMessage;
    assert.equal(aofCodec.encode(file), `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    assert.deepEqual(decoded(aofCodec.encode(file), { kind }), file);
  });
}

test('an event is one line without its end', () => {
  const [line = ''] = read('events/2026-02-09.jsonl').split('\n');
  const event = turned(JSON.parse(line)) as AofMessage;
  assert.equal(aofCodec.encode(event), line);
  assert.deepEqual(decoded(line, { kind: 'event' }), event);
});

test('a task file comes back as it was', () => {
  const task = decoded(read('task/TASK-2026-02-09-057.md'), { kind: 'task' });
  assert.deepEqual(decoded(aofCodec.encode(task), { kind: 'task' }), task);
});

test('fields that nobody knows go out after those of the document', () => {
  const message = decoded(JSON.stringify({ x: 1, ...JSON.parse(read(MESSAGES[5] ?? '')) }), {});
  assert.match(aofCodec.encode(message), /^\{"protocol":.*,"x":1\}$/);
});

test('every kind has a shape, and only those', () => {
  for (const kind of aofCodec.kinds) assert.ok(aofCodec.schemaOf(kind), kind);
  assert.equal(aofCodec.kinds.length, 11);
  for (const kind of ['TASK', 'toString', '__proto__']) assert.equal(aofCodec.schemaOf(kind), undefined, kind);
});
