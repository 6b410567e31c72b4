import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuMsOf } from '../../../../test/support/cpu-time.ts';
import { sampleResponse } from '../../../../test/support/message/aop-samples.ts';
import { changed, HEARTBEAT, RESPONSE, read } from '../../../../test/support/message/wire-samples.ts';
import { anOrder } from '../../../../test/support/order/an-order.ts';
import type { AgentSignal } from '../../../domain/agent/agent-signal.ts';
import { AOP_RESPONSE_BYTES_MAX, JSON_DEPTH_MAX } from '../../../domain/federation/message-limits.ts';
import { WireReader } from './wire-reader.ts';

const PRETTY = JSON.stringify(sampleResponse(), null, 2);

const CLAIM = {
  result: 'done',
  code: null,
  message: '',
  summary: 'Added them',
  actions: ['wrote src/users.ts'],
  warnings: [],
  errors: [],
  estimatedCostUsd: null,
  text: RESPONSE,
};

function kinds(lines: readonly string[]): string[] {
  return read(lines).map(({ kind }) => kind);
}

test('a RESPONSE on one line is a claim, with its text word for word', () => {
  const [signal, ...others] = read([RESPONSE]);
  assert.deepEqual(signal, { kind: 'claim', claim: CLAIM });
  assert.deepEqual(others, []);
});

test('a RESPONSE over many lines is a claim, and the lines around it are read too', () => {
  const lines = ['thinking {', '```json', ...PRETTY.split('\n'), '```', HEARTBEAT, RESPONSE, 'bye'];
  assert.deepEqual(kinds(lines), ['output', 'output', 'claim', 'output', 'progress', 'claim', 'output']);
});

test('a RESPONSE is read however it is broken into lines', () => {
  const printed = [
    JSON.stringify(sampleResponse(), null, '\t'),
    PRETTY.replaceAll(/^ +/gm, ''),
    PRETTY.replaceAll('\n', '\r\n'),
    PRETTY.replaceAll(/^/gm, '    '),
    RESPONSE.replaceAll(',"', '\n,"'),
    RESPONSE.replaceAll(/([{}[\]:,])/g, '\n$1\n').trim(),
  ];
  for (const text of printed) assert.equal(kinds(text.split('\n')).join(), 'claim', text.slice(0, 40));
});

test('braces in other output do not delay a message', () => {
  const reader = new WireReader(anOrder());
  const line = (text: string) => reader.line({ stream: 'stdout', text, isTruncated: false }).map(({ kind }) => kind);
  for (const text of ['{', '{"a": 1,', '{"a"', '  {"list": [1, {"b": {}}],']) {
    assert.deepEqual(line(text), ['beat']);
    assert.deepEqual(line(HEARTBEAT), ['output', 'progress'], text);
  }
  assert.deepEqual(line('{'), ['beat']);
  assert.deepEqual(line('  return x;'), ['output', 'output']);
});

test('a message after an object that never closes is found at the end of the output', () => {
  assert.deepEqual(kinds(['{"list": [', '1,', ...PRETTY.split('\n')]), ['output', 'output', 'claim']);
  assert.deepEqual(kinds(['{"list": [', HEARTBEAT, RESPONSE]), ['output', 'progress', 'claim']);
});

test('every line of an object of no protocol is output', () => {
  const others = JSON.stringify({ level: 'info', nested: { a: [1, 2, { b: null }] } }, null, 2).split('\n');
  assert.deepEqual(
    read(others),
    others.map((text) => ({ kind: 'output', stream: 'stdout', text })),
  );
});

test('an AOP object that does not parse is a malformed claim, wherever it breaks', () => {
  const breaks = [
    RESPONSE.slice(0, -1),
    RESPONSE.slice(0, 60),
    '{"aop_ver',
    `${RESPONSE} and more`,
    `${RESPONSE}${RESPONSE}`,
    RESPONSE.replace('"task_id"', 'task_id'),
    RESPONSE.replace('"task_id":"T-1"', '"task_id":"T-1","task_id":"T-1"'),
    `{"message_type":"RESPONSE","aop_version":"2.0.2-C","x":`,
    PRETTY.slice(0, -1),
    PRETTY.slice(0, 150),
    `{"list": [\n${PRETTY.slice(0, 150)}`,
  ];
  for (const text of breaks) {
    const found = read(text.split('\n')).filter(({ kind }) => kind !== 'output');
    assert.equal(found.length, 1, text.slice(-30));
    assert.equal(found[0]?.kind, 'malformed-claim');
  }
});

test('a RESPONSE for another task is malformed, and the signal names the field', () => {
  for (const [field, path] of [
    ['session_id', '/session_id'],
    ['task_id', '/task_id'],
  ] as const) {
    const signal = read([changed({ [field]: 'another' })]).at(-1);
    assert.equal(signal?.kind === 'malformed-claim' && signal.path, path);
  }
});

test('a RESPONSE that breaks the guard rails is malformed, and a claim where they are off', () => {
  const bare = changed({ execution_summary: null, task_status: { state: 'COMPLETED' } });
  assert.deepEqual(kinds([bare]), ['output', 'malformed-claim']);
  const { policy } = anOrder();
  const order = anOrder({ policy: { ...policy, requireResult: false, requireMinimalReport: false } });
  assert.deepEqual(
    read([bare], order).map(({ kind }) => kind),
    ['claim'],
  );
});

test('a RESPONSE of 500 KB is a claim, one byte more is too large, on one line and on many', () => {
  const sized = (bytes: number, indent: number) => {
    const text = (fill: string) =>
      JSON.stringify(
        { ...sampleResponse(), execution_summary: { summary: fill, actions: ['a'], warnings: ['é'] } },
        null,
        indent,
      );
    return text('x'.repeat(bytes - Buffer.byteLength(text('')))).split('\n');
  };
  for (const indent of [0, 1]) {
    assert.deepEqual(kinds(sized(AOP_RESPONSE_BYTES_MAX, indent)), ['claim']);
    const over = kinds([...sized(AOP_RESPONSE_BYTES_MAX + 1, indent), HEARTBEAT]);
    assert.deepEqual(
      over.filter((kind) => kind !== 'output'),
      ['malformed-claim', 'progress'],
    );
    const [claim] = read([...sized(AOP_RESPONSE_BYTES_MAX + 1, indent), HEARTBEAT]).filter(
      ({ kind }) => kind === 'malformed-claim',
    );
    assert.ok(claim?.kind === 'malformed-claim' && claim.isTooLarge, JSON.stringify(claim));
  }
});

test('endless objects are given up, in time proportional to their size', () => {
  const endless = ['{"a": [', ...Array<string>(300_000).fill('1,')];
  const deep = Array<string>(150_000).fill('{"a":');
  const nested = [...Array<string>(JSON_DEPTH_MAX).fill('{"a": ['), ...Array<string>(150_000).fill('1,')];
  const closed = Array<string[]>(3_000)
    .fill([...Array<string>(60).fill('{"a": ['), 'x'])
    .flat();
  for (const lines of [endless, deep, nested, closed]) {
    const elapsedMs = cpuMsOf(() => assert.equal(kinds([...lines, HEARTBEAT]).at(-1), 'progress'));
    assert.ok(elapsedMs < 3_000, `${elapsedMs} ms`);
  }
});

test('no more is held back than the largest RESPONSE', () => {
  const reader = new WireReader(anOrder());
  const line = (text: string) => reader.line({ stream: 'stdout', text, isTruncated: false });
  line('{"a": [');
  const fill = `${'1'.repeat(1_023)},`;
  const given = Array.from({ length: 600 }, () => line(fill)).findIndex(([signal]) => signal?.kind === 'output');
  assert.equal(given, Math.floor(AOP_RESPONSE_BYTES_MAX / (fill.length + 1)));
});

test('a truncated line is a malformed claim if it was an AOP message, else output', () => {
  const cut = (text: string) =>
    new WireReader(anOrder()).line({ stream: 'stdout', text, isTruncated: true }).map(({ kind }) => kind);
  assert.deepEqual(cut(`${RESPONSE.slice(0, 200)} [truncated: 9999999 bytes]`), ['output', 'malformed-claim']);
  assert.deepEqual(cut('{"a": 1} [truncated: 9999999 bytes]'), ['output']);
  assert.deepEqual(cut('AOF/1 {"a" [truncated: 9999999 bytes]'), ['output']);
});

/** The lines that the signals were read from, in order. */
function printed(signals: readonly AgentSignal[]): string[] {
  return signals.flatMap((signal) => {
    if (signal.kind === 'output' || signal.kind === 'message') return [signal.text];
    return signal.kind === 'claim' ? signal.claim.text.split('\n') : [];
  });
}

test('whatever is printed between answers, no line is lost or moved, and every answer is found', () => {
  const noise = fc.oneof(
    fc.constantFrom('{', '}', '[', ']', '{"a": [', '"b": 1,', '1,', '{"list": [{', '{"a": 1}', '', '  {', 'AOF/1 {}'),
    fc.string(),
    fc.json({ maxDepth: 3 }).map((text) => text.slice(0, 40)),
    fc.json({ maxDepth: 3 }),
  );
  const part = fc.oneof(
    { weight: 4, arbitrary: fc.array(noise, { maxLength: 6 }).map((lines) => ({ lines, isAnswer: false })) },
    { weight: 1, arbitrary: fc.constant({ lines: [RESPONSE], isAnswer: true }) },
    { weight: 1, arbitrary: fc.constant({ lines: PRETTY.split('\n'), isAnswer: true }) },
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const lines = parts.flatMap((each) => each.lines);
      const signals = read(lines);
      assert.deepEqual(printed(signals), lines);
      // Only an object that is begun and not ended may have an answer for one of its own values.
      const isBegun = parts.some((each) => !each.isAnswer && each.lines.some((line) => /^\s*\{/.test(line)));
      const found = signals.filter(({ kind }) => kind === 'claim').length;
      const told = parts.filter(({ isAnswer }) => isAnswer).length;
      assert.ok(isBegun ? found <= told : found === told, `${found} of ${told}`);
    }),
    { numRuns: 2_000 },
  );
});

test('decisions on findings are told beside the output, on one line or several; other JSON is output alone', () => {
  const decisions = { applied_feedback: { items: [{ id: 'a-finding', status: 'accepted' }] } };
  const lines = ['Done.', '```json', ...JSON.stringify(decisions, null, 2).split('\n'), '```'];
  assert.deepEqual([...new Set(kinds(lines))], ['output', 'decisions']);
  assert.deepEqual(read([JSON.stringify(decisions)]), [
    { kind: 'output', stream: 'stdout', text: JSON.stringify(decisions) },
    { kind: 'decisions', text: JSON.stringify(decisions) },
  ]);
  assert.deepEqual(kinds(['{"applied_feedback":[]}', '{"items":[]}']), ['output', 'output']);
});
