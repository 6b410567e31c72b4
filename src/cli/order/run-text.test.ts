import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '../../api/order/order-contract.ts';
import { EMPTY_ENTRY } from '../../domain/trace/story-entry.ts';
import { styleFor } from '../output/style.ts';
import { runText } from './run-text.ts';

const PLAIN = styleFor(0, false);

const entry = (kind: LogEntry['kind'], fields: Partial<LogEntry> = {}): LogEntry => ({
  ...EMPTY_ENTRY,
  at: null,
  ...fields,
  kind,
});

test('output is behind a bar, and so are thoughts and tools; events show the rest', () => {
  const entries = [
    entry('run', { id: 'run_1', name: 'emma' }),
    entry('output', { text: '--- run_2 emma\ndone' }),
    entry('thought', { text: 'first\nsecond' }),
    entry('tool', { name: 'Bash', text: '{"command":"npm test"}' }),
    entry('result', { name: 'Bash', text: '1 failing', isSuccess: false, exitCode: 1, durationMs: 3_100 }),
    entry('retry', { text: 'try 1: overloaded' }),
  ];
  const shown = runText({ kind: 'output', entries }, PLAIN);
  assert.deepEqual(
    String(shown)
      .split('\n')
      .map((line) => line.trim()),
    [
      ...['│ --- run_2 emma', '│ done', '│ thinks  first', '│         second', '│ Bash  npm test'],
      ...['│   ✗ exit 1, 3.1 s', '│     1 failing'],
    ],
  );
});

test('a page with nothing but the beginning of a run is not shown', () => {
  assert.equal(runText({ kind: 'output', entries: [entry('run')] }, PLAIN), null);
});

test('checks that take long are told with their time', () => {
  const text = (isAfter: boolean, ...checks: string[]) =>
    String(runText({ kind: 'checking', isAfter, forMs: 65_000, checks }, PLAIN)).trim();
  assert.equal(text(true), '· the checks have been running for 65 s');
  assert.equal(text(true, 'npm test', 'make lint'), '· the checks (npm test, make lint) have been running for 65 s');
  assert.match(
    text(false, 'npm test'),
    /^· not begun after 65 s: the checks before the work \(npm test\) run, or it waits/,
  );
});
