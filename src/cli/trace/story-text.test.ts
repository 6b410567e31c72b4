import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '../../api/order/order-contract.ts';
import { EMPTY_ENTRY } from '../../domain/trace/story-entry.ts';
import { styleFor } from '../output/style.ts';
import { entryText } from './story-text.ts';

const START = '2026-02-09T10:00:00.000Z';
const LOOK = styleFor(Date.parse('2026-02-09T10:03:20.000Z'), false);

function tell(kind: LogEntry['kind'], fields: Partial<LogEntry> = {}, afterMs = 7_000): string {
  const at = new Date(Date.parse(START) + afterMs).toISOString();
  return entryText({ ...EMPTY_ENTRY, at, ...fields, kind }, { attempt: 2, startedAt: START }, LOOK);
}

test('a run begins with its attempt and its age', () => {
  const text = tell('run', { id: 'run_1', name: 'claude', at: START });
  assert.match(text, /^--- run_1 claude {2}\(attempt 2, .*\d\d:\d\d, 3 min 20 s ago\)$/);
});

test('steps stand behind their age, further lines below the first', () => {
  assert.equal(tell('thought', { text: 'one\ntwo' }), '   0:07  thinks  one\n                 two');
  assert.equal(tell('words', { text: 'done' }, 3_750_000), '1:02:30  says    done');
  assert.equal(tell('told', { text: 'use tabs' }), '   0:07  you     use tabs');
  assert.equal(tell('session', { id: 's-1', text: 'opus, 2.1.325' }), '   0:07  session  s-1, opus, 2.1.325');
});

test('a tool call shows the argument that says most, and its result how it ended', () => {
  const call = (name: string, input: unknown) => tell('tool', { name, text: JSON.stringify(input) });
  assert.equal(call('Bash', { description: 'Runs the tests', command: 'npm test' }), '   0:07  Bash  npm test');
  assert.equal(call('Write', { file_path: '/ws/a.ts', content: 'x' }), '   0:07  Write  /ws/a.ts');
  assert.equal(call('edit', { changes: [{ path: 'a' }, { path: 'b' }] }), '   0:07  edit  a, b');
  assert.equal(call('Odd', { x: 1 }), '   0:07  Odd  {"x":1}');
  assert.equal(call('Bash', { command: 'one\ntwo' }), '   0:07  Bash  one …');
  const done = { isSuccess: true, exitCode: 0, durationMs: 400, text: 'ok\nmore\n' };
  assert.equal(tell('result', done), '   0:07    ✓ exit 0, 0.4 s  ok (2 lines)');
  const failed = { isSuccess: false, exitCode: 3, durationMs: null, text: '1\n2\n3\n4\n5\n6\n7' };
  const rest = ['2', '3', '4', '5', '6', '7'].map((line) => `             ${line}`);
  assert.equal(tell('result', failed), ['   0:07    ✗ exit 3', ...rest].join('\n'));
});

test('no text of an agent reaches the terminal unescaped, whatever the step', () => {
  const evil = '\u001b]0;x\u0007\u202e\r';
  const kinds = ['run', 'output', 'thought', 'words', 'tool', 'result', 'retry', 'question', 'answer', 'told'] as const;
  for (const kind of [...kinds, 'quota', 'session', 'failure', 'note'] as const) {
    const text = tell(kind, { text: `${evil}\n${evil}`, id: evil, name: evil });
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f\u202e]/, kind);
  }
});
