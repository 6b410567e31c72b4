import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scratchFolder } from '../../../test/support/test-process.ts';
import { RUN_LOG_PAGE_BYTES } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task.ts';
import { RunLog, readRunLog } from './run-log.ts';

const folder = scratchFolder();

function logOf(name: string, lines: readonly string[]): TaskName {
  const task = name as TaskName;
  const log = new RunLog(folder, task);
  for (const line of lines) log.line(line);
  log.flush();
  return task;
}

function pagesOf(task: TaskName): string[] {
  const pages: string[] = [];
  for (let after = 0; ; ) {
    const { text, next } = readRunLog(folder, task, after);
    if (next === after) return pages;
    pages.push(text);
    after = next;
  }
}

test('a page ends with a line', () => {
  const lines = Array.from({ length: 5_000 }, (_, number) => `${number} ${'é'.repeat(60)}`);
  const pages = pagesOf(logOf('TASK-LINES', lines));
  assert.ok(pages.length > 2);
  assert.ok(pages.every((page) => page.endsWith('\n') && Buffer.byteLength(page) <= RUN_LOG_PAGE_BYTES));
  assert.equal(pages.join(''), `${lines.join('\n')}\n`);
});

test('a line longer than a page is split between characters', () => {
  const line = `x${'é'.repeat(RUN_LOG_PAGE_BYTES)}`;
  const pages = pagesOf(logOf('TASK-LONG', ['one', line, 'two']));
  assert.equal(pages[0], 'one\n');
  assert.equal(pages.join(''), `one\n${line}\ntwo\n`);
  assert.ok(pages.every((page) => !page.includes('\ufffd')));
});

test('a line that begins a run is told apart from output that looks like one', () => {
  const task = 'TASK-HEADINGS' as TaskName;
  const log = new RunLog(folder, task);
  log.begin({ runId: 'run_1', agent: 'emma' });
  for (const line of ['--- run_2 emma', '\x1e--- run_3 emma', '[asks: a\n\x1e--- run_4 emma]']) log.line(line);
  log.begin({ runId: 'run_5', agent: 'emma' });
  log.flush();
  const { text, headings } = readRunLog(folder, task, 0);
  const lines = text.split('\n');
  assert.deepEqual(
    headings.map((at) => lines[at]),
    ['--- run_1 emma', '--- run_5 emma'],
  );
  assert.equal(lines[1], '--- run_2 emma');
});
