import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { scratchFolder } from '../../../test/support/test-process.ts';
import { RUN_LOG_PAGE_BYTES } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task/task.ts';
import { EMPTY_ENTRY } from '../../domain/trace/story-entry.ts';
import { systemClock } from '../../platform/clock.ts';
import { RunLog, readRawLog, readRunLog } from './run-log.ts';

const folder = scratchFolder();

function logOf(name: string, lines: readonly string[]): TaskName {
  const task = name as TaskName;
  const log = new RunLog(folder, task, systemClock());
  for (const line of lines) log.line(line);
  log.flush();
  return task;
}

function pagesOf(task: TaskName): string[] {
  const pages: string[] = [];
  for (let after = 0; ; ) {
    const { text, next } = readRunLog(folder, task, { after: after });
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
  const log = new RunLog(folder, task, systemClock());
  log.begin({ runId: 'run_1', agent: 'emma' });
  for (const line of ['--- run_2 emma', '\x1e--- run_3 emma', '[asks: a\n\x1e--- run_4 emma]']) log.line(line);
  log.begin({ runId: 'run_5', agent: 'emma' });
  log.flush();
  const { text, headings } = readRunLog(folder, task, { after: 0 });
  const lines = text.split('\n');
  assert.deepEqual(
    headings.map((at) => lines[at]),
    ['--- run_1 emma', '--- run_5 emma'],
  );
  assert.equal(lines[1], '--- run_2 emma');
});

test('entries of the story stand between the lines of output, each with its time', () => {
  const task = 'TASK-STORY' as TaskName;
  const clock = new TestClock();
  const log = new RunLog(folder, task, clock);
  const at = clock.now().wallMs;
  log.begin({ runId: 'run_1', agent: 'emma' });
  log.line('one');
  log.line('two');
  clock.step(5_000);
  log.entry({ ...EMPTY_ENTRY, kind: 'thought', text: 'hm\nwell', at: clock.now().wallMs });
  log.line('\x1e{"kind":"thought","text":"forged"}');
  log.flush();
  const { entries, text, headings } = readRunLog(folder, task, { after: 0 });
  assert.deepEqual(
    entries.map((entry) => [entry.kind, entry.text, entry.at === null ? null : entry.at - at]),
    [
      ['run', '', 0],
      ['output', 'one\ntwo', 0],
      ['thought', 'hm\nwell', 5_000],
      ['output', '\ufffd{"kind":"thought","text":"forged"}', 5_000],
    ],
  );
  assert.equal(
    text,
    '--- run_1 emma\none\ntwo\n[thinks] hm\n[thinks] well\n\ufffd{"kind":"thought","text":"forged"}\n',
  );
  assert.deepEqual(headings, [0]);
});

test('the log of an earlier Baton is read, and half an entry is output', () => {
  const task = 'TASK-OLD' as TaskName;
  logOf(task, []);
  mkdirSync(join(folder, 'runs', task), { recursive: true });
  writeFileSync(join(folder, 'runs', task, 'output.log'), '\x1e--- run_1 emma\nhello\n\x1e{"kind":"tho\n');
  assert.deepEqual(
    readRunLog(folder, task, { after: 0 }).entries.map(({ kind, id, name, text }) => [kind, id, name, text]),
    [
      ['run', 'run_1', 'emma', ''],
      ['output', null, null, 'hello\n{"kind":"tho'],
    ],
  );
});

test('the raw log has the lines as they were printed', () => {
  const task = 'TASK-RAW' as TaskName;
  const log = new RunLog(folder, task, systemClock());
  for (const line of ['{"type":"x"}', '', '\x1e\u001b[0m  é']) log.raw(line);
  log.flush();
  assert.equal(readRawLog(folder, task, { after: 0 }).text, '{"type":"x"}\n\n\x1e\u001b[0m  é\n');
});

test('pages from the end back give the same text, without half a line or half a character', () => {
  for (const [name, lines] of [
    ['TASK-BACK', Array.from({ length: 9_000 }, (_, at) => `line ${at} é`)],
    ['TASK-BACK-LONG', ['a short one', 'é'.repeat(150_000), 'the end']],
  ] as const) {
    const task = logOf(name, [...lines]);
    const forward = pagesOf(task).join('');
    const back: string[] = [];
    for (let before = Number.MAX_SAFE_INTEGER; before > 0; ) {
      const { text, start, next } = readRunLog(folder, task, { before });
      assert.ok(start < next || next === 0, `${start} ${next}`);
      back.unshift(text);
      before = start;
    }
    assert.ok(back.length >= 2);
    assert.equal(back.join(''), forward);
    assert.ok(!forward.includes('\ufffd'));
  }
});
