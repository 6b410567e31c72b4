import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TaskFile } from './schema/files.ts';
import { readTaskFile, readTaskValue, writeTaskFile } from './task-file.ts';

const full = new URL('../../../test/corpus/aof/accepted/task/TASK-2026-02-09-057.md', import.meta.url);
const BY_HAND = ['---', 'id: TASK-2026-02-09-057', 'title: Add user endpoints', 'status: ready'].join('\n');

function messageOf(text: string): TaskFile {
  const verdict = readTaskFile(text);
  assert.equal(verdict.verdict, 'accepted', JSON.stringify(verdict));
  return (verdict as { message: TaskFile }).message;
}

test('of a file written by hand id, title and status suffice', () => {
  assert.deepEqual(messageOf(`${BY_HAND}\n---\n\nDo it.\n`), {
    frontMatter: { id: 'TASK-2026-02-09-057', title: 'Add user endpoints', status: 'ready' },
    body: '\nDo it.\n',
  });
});

test('keys that nobody knows are kept, each with a warning', () => {
  const verdict = readTaskFile(`${BY_HAND}\nsprint: 7\nrouting: {agent: a, squad: b}\n---\n`);
  assert.deepEqual(
    verdict.warnings.map(({ code, path }) => `${code} ${path}`),
    ['unknown_field /sprint', 'unknown_field /routing/squad'],
  );
  assert.match(writeTaskFile(messageOf(`${BY_HAND}\nsprint: 7\n---\n`)), /\nsprint: 7\n---\n$/);
});

const WRONG: readonly [string, string, readonly string[]][] = [
  ['no front matter', '# Title\n', ['']],
  ['front matter that is a list', '---\n- a\n---\n', ['']],
  ['nothing in it', '---\n---\n', ['']],
  [
    'several fields wrong',
    '---\nstatus: doing\nid: TASK-1\npriority:\n---\n',
    ['/status', '/id', '/priority', '/title'],
  ],
  [
    'constructor and prototype as fields',
    `${BY_HAND}\nconstructor: 1\nrouting: {prototype: 1}\n---\n`,
    ['/constructor', '/routing/prototype'],
  ],
  ['a date where a task is asked for', `${BY_HAND}\ndependsOn: [2026-02-09]\n---\n`, ['/dependsOn/0']],
  ['a repeated key', `${BY_HAND}\ntitle: again\n---\n`, ['/title']],
];

for (const [name, text, paths] of WRONG) {
  test(`a task file is malformed: ${name}`, () => {
    const verdict = readTaskFile(text);
    assert.ok(verdict.verdict === 'malformed');
    assert.deepEqual([verdict.kind, verdict.code], ['task', 'invalid_task']);
    assert.deepEqual(
      verdict.errors.map(({ path }) => path),
      paths,
    );
  });
}

test('fields are written in the order of the decision, whatever order they came in', () => {
  const message = messageOf(readFileSync(full, 'utf8'));
  const turned = Object.fromEntries(Object.entries(message.frontMatter).reverse()) as TaskFile['frontMatter'];
  const text = writeTaskFile({ ...message, frontMatter: turned });
  assert.equal(text, writeTaskFile(message));
  assert.deepEqual(
    [...text.matchAll(/^(\w+):/gm)].map(([, key]) => key),
    'schemaVersion id uid project title status priority routing lease createdAt updatedAt lastTransitionAt createdBy parentId dependsOn resource sla metadata'.split(
      ' ',
    ),
  );
  assert.deepEqual(messageOf(text), message);
});

const spike = fc.constantFrom(...'-\n\r\t #:"\'\\|>&*!%@`[]{},?~01e.x\u0085\u2028\ufeff\ud800\x07\x7f…'.split(''));
const words = fc.constantFrom('---', '...', 'null', 'true', '0x1f', '1e3', '.inf', '2026-01-01', '<<', '007', '- a');
const someText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: spike }), words);
const key = someText.filter((name) => name !== '__proto__');
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0));
const { value: freeValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false),
    number,
    someText,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

test('what was written is read as it was, body and all, and written the same again', () => {
  const title = someText.filter((text) => text !== '');
  const metadata = fc.dictionary(key, freeValue, { maxKeys: 4, noNullPrototype: true });
  const body = fc.string({ unit: fc.constantFrom('-', '\n', '\r', 'a', ' ', '#') });
  fc.assert(
    fc.property(title, metadata, body, (title, metadata, body) => {
      const task: TaskFile = { frontMatter: { id: 'TASK-2026-02-09-057', title, status: 'ready', metadata }, body };
      const text = writeTaskFile(task);
      assert.ok(text.isWellFormed());
      assert.deepEqual(messageOf(text), task);
      assert.equal(writeTaskFile(messageOf(text)), text);
    }),
    { numRuns: 300 },
  );
});

test('a task that was not read from text is judged alike', () => {
  const frontMatter = { id: 'TASK-2026-02-09-057', title: 'Add', status: 'ready' };
  assert.equal(readTaskValue({ frontMatter, body: '' }).verdict, 'accepted');
  for (const value of [null, {}, { frontMatter }, { frontMatter, body: 1 }, { frontMatter: [], body: '' }]) {
    assert.equal(readTaskValue(value).verdict, 'malformed', JSON.stringify(value));
  }
});
