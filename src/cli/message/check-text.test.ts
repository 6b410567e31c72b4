import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSummary, checkText } from './check-text.ts';
import { type CheckedMessage, unreadableFile } from './checked-message.ts';

const accepted: CheckedMessage = {
  file: 'a.json',
  protocol: 'aop',
  kind: 'TASK',
  verdict: 'accepted',
  code: null,
  errors: [],
  warnings: [],
};

const TEXTS: readonly (readonly [name: string, checked: CheckedMessage, text: string])[] = [
  ['accepted', accepted, 'accepted   a.json    aop TASK'],
  ['a line of a file', { ...accepted, line: 7 }, 'accepted   a.json:7  aop TASK'],
  [
    'malformed, every error and warning under it',
    {
      ...accepted,
      kind: null,
      verdict: 'malformed',
      code: 'E_X',
      errors: [
        { path: '/a', message: 'a: is required' },
        { path: '/b', message: 'b: is required' },
      ],
      warnings: [{ code: 'unknown_field', path: '/c', message: 'c: is not a known field' }],
    },
    'malformed  a.json    aop  E_X\n  error    a: is required\n  error    b: is required\n  warning  c: is not a known field (unknown_field)',
  ],
  [
    'foreign to all',
    { ...accepted, protocol: null, kind: null, verdict: 'foreign' },
    'foreign    a.json    not a message of the five protocols',
  ],
  [
    'foreign to the one that was asked for',
    { ...accepted, kind: null, verdict: 'foreign' },
    'foreign    a.json    not a message of aop',
  ],
  ['control characters', { ...accepted, file: 'a\u001b[31m' }, 'accepted   a\\u001b[31m  aop TASK'],
];

for (const [name, checked, text] of TEXTS) {
  test(`for a person: ${name}`, () => assert.equal(checkText(checked, 'a.json:7'.length), text));
}

test('a file that cannot be read is a refusal with a hint, for reasons known and unknown', () => {
  const text = (code: string) => checkText(unreadableFile('x', code), 0);
  assert.deepEqual(text('EISDIR'), { message: 'cannot read x: it is a folder', hint: 'baton check x/*' });
  assert.deepEqual(text('EIO'), { message: 'cannot read x: EIO', hint: 'check the file' });
});

const none = { accepted: 0, malformed: 0, foreign: 0, refused: 0 };
const SUMMARIES = [
  [none, 'no messages'],
  [{ ...none, accepted: 1 }, null],
  [{ ...none, refused: 1 }, null],
  [{ ...none, accepted: 2, malformed: 1 }, '3 messages: 2 accepted, 1 malformed'],
  [{ ...none, foreign: 1, refused: 1 }, '1 message: 1 foreign, 1 file not read'],
  [{ ...none, refused: 2 }, '0 messages: 2 files not read'],
] as const;

for (const [counts, summary] of SUMMARIES) {
  test(`the summary: ${summary}`, () => assert.equal(checkSummary(counts), summary));
}
