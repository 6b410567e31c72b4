import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTool } from './agent-signals.ts';

const TIMESTAMP = '2026-02-26T12:37:01Z';

test('a tool event reports the call, and another event none', () => {
  const call = { call_id: 'c1', tool: 'grep', timestamp: TIMESTAMP };
  const done = { ...call, type: 'TOOL_LIFECYCLE_COMPLETED', duration_ms: 3 } as const;
  const signal = { kind: 'tool', id: 'c1', name: 'grep' };
  const begun = decodeTool({ ...call, type: 'TOOL_LIFECYCLE_INVOKED', arguments: { q: 'x' } });
  assert.deepEqual(begun, { ...signal, state: 'begun', input: '{"q":"x"}' });
  const ended = { ...signal, state: 'ended' };
  assert.deepEqual(decodeTool({ ...done, status: 'timeout' }), { ...ended, result: 'timeout', isSuccess: false });
  assert.deepEqual(decodeTool({ ...done, status: 'success' }), { ...ended, result: 'success', isSuccess: true });
  assert.equal(decodeTool({ type: 'SANDBOX_PULSE', line: 'ok', masked: false, timestamp: TIMESTAMP }), null);
});
