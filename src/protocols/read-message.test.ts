import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NDJSON_LINE_BYTES_MAX } from '../domain/federation/message-limits.ts';
import { PROTOCOL_NAMES, type ProtocolName, type Verdict } from './codec.ts';
import { notText, type ReadHints, readMessage } from './read-message.ts';

const heartbeat = JSON.stringify({
  aop_version: '2.0.2-C',
  message_type: 'EVENT',
  event: 'HEARTBEAT',
  session_id: 's',
  task_id: 't',
  timestamp: '2026-02-26T14:00:00Z',
});
const cursor =
  '{"consumerNodeId":"a","sourceNodeId":"b","lastSeq":0,"updatedAt":"2026-02-26T14:00:00Z","status":"active","leaseExpiresAt":"2026-02-26T14:00:00Z","epoch":"1"}';
const beat =
  '{"taskId":"TASK-2026-02-09-057","agentId":"a","lastHeartbeat":"2026-02-26T14:00:00Z","beatCount":1,"expiresAt":"2026-02-26T14:05:00Z"}';

type ReadResult = [ProtocolName | null, Verdict<unknown>['verdict'], string | null];

async function told(text: string, hints: ReadHints = {}): Promise<ReadResult> {
  const { protocol, verdict } = await readMessage(text, hints);
  const about = verdict.verdict === 'malformed' ? verdict.code : verdict.verdict === 'accepted' ? verdict.kind : null;
  return [protocol, verdict.verdict, about];
}

describe('a text without a named protocol', () => {
  const rows: [name: string, text: string, hints: ReadHints, want: ReadResult][] = [
    ['the first protocol that matches reads it', heartbeat, {}, ['aop', 'accepted', 'HEARTBEAT']],
    ['the same for another', cursor, {}, ['runtime', 'accepted', 'cursor']],
    ['v1 markdown is AOP', '# ORCHESTRATION_TASK\nDo it.', {}, ['aop', 'accepted', 'V1']],
    ['prose is of no protocol', 'Please fix the login page.', {}, [null, 'foreign', null]],
    ['nothing is of no protocol', '', {}, [null, 'foreign', null]],
    ['JSON without a marker is of no protocol', '{"a":1}', {}, [null, 'foreign', null]],
    ['a list is of no protocol', '[1]', {}, [null, 'foreign', null]],
    ['an old AOP is of no protocol', '{"aop_version":"1.0"}', {}, [null, 'foreign', null]],
    ['what starts like JSON and is none', '{"a":', {}, [null, 'malformed', 'invalid_json']],
    [
      'a repeated key in a marked message is its protocol’s',
      '{"turn_index":1,"turn_index":1}',
      {},
      ['saop', 'malformed', 'invalid_json'],
    ],
    ['a repeated key in an unmarked one is of no protocol', '{"a":1,"a":1}', {}, [null, 'foreign', null]],
    ['the prefix makes it AOF', 'AOF/1 {', {}, ['aof', 'malformed', 'invalid_json']],
    ['a file name makes it AOF', beat, { fileName: 'x/run_heartbeat.json' }, ['aof', 'accepted', 'run_heartbeat']],
    [
      'a broken file of AOF is malformed AOF',
      '{"taskId"',
      { fileName: 'run.json' },
      ['aof', 'malformed', 'invalid_json'],
    ],
    ['a kind makes it AOF', beat, { kind: 'run_heartbeat' }, ['aof', 'accepted', 'run_heartbeat']],
  ];
  for (const [name, text, hints, want] of rows) it(name, async () => assert.deepEqual(await told(text, hints), want));
});

describe('a text with a named protocol', () => {
  it('foreign keeps the name', async () => {
    for (const as of PROTOCOL_NAMES) assert.deepEqual(await told('{"a":1}', { as }), [as, 'foreign', null]);
  });

  it('what is no JSON has the code of the protocol', async () => {
    const codes = {
      aop: 'E_PARSE_FAILURE',
      afp: 'INVALID_REQUEST',
      aof: 'invalid_json',
      saop: 'invalid_json',
      runtime: 'invalid_json',
    };
    for (const as of PROTOCOL_NAMES) {
      assert.deepEqual(await told('{"a"', { as }), [as, 'malformed', codes[as]]);
      const { protocol, verdict } = notText(as);
      assert.deepEqual([protocol, verdict.verdict === 'malformed' && verdict.code], [as, codes[as]]);
    }
  });

  it('AOP does not read a message of Runtime', async () => {
    assert.deepEqual(await told(cursor, { as: 'aop' }), ['aop', 'foreign', null]);
  });
});

describe('a text beyond the limit is refused unread', () => {
  const large = ' '.repeat(NDJSON_LINE_BYTES_MAX + 1);

  it('with a code of the protocol it is meant for', async () => {
    assert.deepEqual(await told(large), [null, 'malformed', 'payload_too_large']);
    assert.deepEqual(await told(large, { as: 'aop' }), ['aop', 'malformed', 'E_CONTEXT_OVERFLOW']);
    assert.deepEqual(await told(`AOF/1 ${large}`), ['aof', 'malformed', 'payload_too_large']);
  });

  it('and one at the limit is read', async () => {
    assert.deepEqual(await told(large.slice(1)), [null, 'foreign', null]);
  });

  it('bytes that are no text have a verdict too', () => {
    const { protocol, verdict } = notText(null);
    assert.deepEqual(
      [protocol, verdict.verdict, verdict.verdict === 'malformed' && verdict.code],
      [null, 'malformed', 'invalid_json'],
    );
  });
});
