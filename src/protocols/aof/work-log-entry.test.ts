import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { appendToWorkLog } from '../../domain/task/work-log.ts';
import type { StatusUpdate } from './schema/messages.ts';
import { transitionReason, workLogEntry } from './work-log-entry.ts';

const corpus = new URL('../../../test/corpus/aof/', import.meta.url);

function update(payload: Partial<StatusUpdate['payload']>): StatusUpdate {
  const about = { taskId: 'TASK-2026-02-09-057', agentId: 'swe-backend' };
  return {
    protocol: 'aof',
    version: 1,
    type: 'status.update',
    taskId: about.taskId,
    fromAgent: about.agentId,
    toAgent: 'dispatcher',
    sentAt: '2026-02-09T21:05:00.000Z',
    payload: { ...about, ...payload },
  };
}

function rendered(name: string): string {
  return readFileSync(new URL(`rendered/${name}`, corpus), 'utf8');
}

test('an entry of an empty body is the section that the document shows', () => {
  const all = update({
    progress: 'Implemented core logic',
    notes: 'ETA after credentials arrive',
    blockers: ['Awaiting API key'],
  });
  assert.equal(appendToWorkLog('', workLogEntry(all) ?? ''), rendered('work-log.md'));
  const example3 = JSON.parse(
    readFileSync(new URL('accepted/example-3-status-update.json', corpus), 'utf8'),
  ) as StatusUpdate;
  assert.equal(appendToWorkLog('', workLogEntry(example3) ?? ''), rendered('work-log-example-3.md'));
});

const AT = '- 2026-02-09T21:05:00.000Z';
const ENTRIES: readonly [string, Partial<StatusUpdate['payload']>, string | null][] = [
  ['blockers are joined by commas', { blockers: ['a', 'b'] }, `${AT} Blockers: a, b`],
  ['what is absent is left out', { notes: 'n', status: 'blocked' }, `${AT} Notes: n`],
  ['a line break becomes a blank', { progress: 'a\r\nb\n\n## c\u2028d' }, `${AT} Progress: a b ## c d`],
  ['nothing to say', { status: 'ready' }, null],
  ['empty text and lists say nothing', { progress: '', notes: '', blockers: [] }, null],
];

for (const [name, payload, entry] of ENTRIES) {
  test(`a work log entry is one line: ${name}`, () => assert.equal(workLogEntry(update(payload)), entry));
}

test('the reason of a transition is blockers, else notes, else progress', () => {
  assert.equal(transitionReason(update({ blockers: ['a', 'b'], notes: 'n', progress: 'p' })), 'a; b');
  assert.equal(transitionReason(update({ blockers: [], notes: 'n', progress: 'p' })), 'n');
  assert.equal(transitionReason(update({ progress: 'p' })), 'p');
  assert.equal(transitionReason(update({ status: 'ready' })), null);
});

const APPENDED: readonly [string, string, string][] = [
  ['a body without the section', 'Do it.\n', 'Do it.\n\n## Work Log\n\n- e\n'],
  ['a body without a last line end', 'Do it.', 'Do it.\n\n## Work Log\n\n- e\n'],
  ['a body that ends in an empty line', 'Do it.\n\n', 'Do it.\n\n## Work Log\n\n- e\n'],
  ['an entry is there', '## Work Log\n\n- d\n', '## Work Log\n\n- d\n- e\n'],
  ['no last line end', '## Work Log\n\n- d', '## Work Log\n\n- d\n- e'],
  ['an empty section', '## Work Log\n', '## Work Log\n\n- e\n'],
  ['another section follows', '## Work Log\n\n- d\n\n## More\n\nx\n', '## Work Log\n\n- d\n- e\n\n## More\n\nx\n'],
  ['a deeper heading belongs to it', '## Work Log\n### a\n- d\n# b\n', '## Work Log\n### a\n- d\n- e\n# b\n'],
  ['CRLF', 'x\r\n\r\n## Work Log\r\n\r\n- d\r\n', 'x\r\n\r\n## Work Log\r\n\r\n- d\r\n- e\r\n'],
  ['a new section with CRLF', 'x\r\n', 'x\r\n\r\n## Work Log\r\n\r\n- e\r\n'],
  ['the heading stands in a code block', '```\n## Work Log\n```\n', '```\n## Work Log\n```\n\n## Work Log\n\n- e\n'],
  ['a heading in code does not end it', '## Work Log\n~~~\n# x\n~~~\n', '## Work Log\n~~~\n# x\n~~~\n- e\n'],
  ['a code block is never closed', '```\nx\n\n## Work Log\n\n- d\n', '```\nx\n\n## Work Log\n\n- d\n- e\n'],
  ['a heading of another name', '## Work Logs\n', '## Work Logs\n\n## Work Log\n\n- e\n'],
];

for (const [name, before, after] of APPENDED) {
  test(`the work log grows at its end: ${name}`, () => assert.equal(appendToWorkLog(before, '- e'), after));
}

test('there is one section however often it grows', () => {
  for (const [, before] of APPENDED) {
    const twice = appendToWorkLog(appendToWorkLog(before, '- e'), '- f');
    assert.match(twice, /- e\r?\n- f/);
  }
});

test('very many open fences cost no more than their lines', () => {
  const body = '```x\n'.repeat(100_000);
  assert.ok(appendToWorkLog(body, '- e').endsWith('## Work Log\n\n- e\n'));
});
