import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainIssue } from './explain-issue.ts';
import { FORMAT_EXAMPLES, type FormatName, type Issue, type IssueDetail, pointer } from './issue.ts';

const SENTENCES: { [Kind in IssueDetail['kind']]: [Extract<Issue, { kind: Kind }>, string][] } = {
  missing: [[{ path: ['task', 'task_id'], kind: 'missing' }, 'task.task_id: is required']],
  'wrong-type': [
    [{ path: ['seq'], kind: 'wrong-type', expected: 'a number', got: '5' }, 'seq: must be a number, not "5"'],
    [{ path: [], kind: 'wrong-type', expected: 'an object', got: [1] }, 'the message must be an object, not a list'],
    [{ path: ['a'], kind: 'wrong-type', expected: 'a list', got: { b: 1 } }, 'a: must be a list, not an object'],
    [{ path: ['a'], kind: 'wrong-type', expected: 'a list', got: null }, 'a: must be a list, not null'],
    [{ path: ['a'], kind: 'wrong-type', expected: 'a list', got: undefined }, 'a: must be a list, not nothing'],
  ],
  'not-one-of': [
    [
      {
        path: ['task', 'complexity'],
        kind: 'not-one-of',
        options: ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'],
        got: 'HUGE',
      },
      'task.complexity: "HUGE" is not one of LOW, MEDIUM, HIGH, CRITICAL',
    ],
  ],
  'not-exactly': [
    [{ path: ['version'], kind: 'not-exactly', want: '1.2', got: 1.2 }, 'version: must be "1.2", not 1.2'],
  ],
  empty: [[{ path: ['inputs', 0, 'type'], kind: 'empty' }, 'inputs[0].type: must not be empty']],
  'too-long': [
    [
      { path: ['notes'], kind: 'too-long', max: 10, unit: 'characters', got: 11 },
      'notes: has 11 characters; at most 10 are allowed',
    ],
    [{ path: ['a'], kind: 'too-long', max: 2, unit: 'items' }, 'a: has too many items; at most 2 are allowed'],
  ],
  'too-few': [[{ path: ['a'], kind: 'too-few', min: 1, unit: 'items' }, 'a: needs at least 1 items']],
  below: [
    [{ path: ['a'], kind: 'below', min: 1, exclusive: false, got: 0 }, 'a: 0 must be at least 1'],
    [{ path: ['a'], kind: 'below', min: 0, exclusive: true, got: 0 }, 'a: 0 must be greater than 0'],
  ],
  above: [
    [{ path: ['a'], kind: 'above', max: 100, exclusive: false, got: 101 }, 'a: 101 must be at most 100'],
    [{ path: ['a'], kind: 'above', max: 1, exclusive: true, got: 1 }, 'a: 1 must be less than 1'],
  ],
  'bad-format': [
    [
      { path: ['at'], kind: 'bad-format', format: 'instant', got: 'noon' },
      'at: "noon" is not an RFC 3339 date-time like 2026-02-26T14:00:00Z',
    ],
  ],
  'unknown-field': [
    [
      { path: ['task', 'prioritty'], kind: 'unknown-field', known: ['task_id', 'priority'] },
      'task.prioritty: is not a known field; did you mean priority?',
    ],
    [{ path: ['colour'], kind: 'unknown-field', known: ['task_id'] }, 'colour: is not a known field'],
  ],
  'dropped-field': [[{ path: ['a'], kind: 'dropped-field' }, 'a: is not known in this version and was dropped']],
  'forbidden-key': [[{ path: ['__proto__'], kind: 'forbidden-key' }, '__proto__: is a key that no message may use']],
  'bad-key': [
    [
      { path: ['extensions', 'vendor'], kind: 'bad-key', rule: 'must start with x_' },
      'extensions.vendor: this key must start with x_',
    ],
  ],
  'not-allowed': [
    [
      { path: ['error'], kind: 'not-allowed', because: 'status is success' },
      'error: must not be here: status is success',
    ],
  ],
  'needs-one-of': [[{ path: [], kind: 'needs-one-of', fields: ['a', 'b'] }, 'the message needs at least one of a, b']],
  'needed-because': [[{ path: ['a'], kind: 'needed-because', because: 'b is set' }, 'a: is required: b is set']],
  advised: [[{ path: ['a'], kind: 'advised', because: 'b is set' }, 'a: should be here: b is set']],
  differs: [
    [
      { path: ['payload', 'taskId'], kind: 'differs', from: 'taskId', got: 'A', want: 'B' },
      'payload.taskId: "A" differs from taskId, which is "B"',
    ],
  ],
  repeated: [[{ path: ['id'], kind: 'repeated', got: 'a' }, 'id: "a" is used more than once']],
  'over-limit': [
    [
      { path: [], kind: 'over-limit', what: 'size', max: 2, unit: 'bytes' },
      'the message size is over the limit of 2 bytes',
    ],
    [
      { path: ['a'], kind: 'over-limit', what: 'the list', max: 2, unit: 'items', got: 3 },
      'a: the list is over the limit of 2 items: 3',
    ],
  ],
  'near-limit': [
    [
      { path: ['phases'], kind: 'near-limit', what: 'it', max: 10, unit: 'phases', got: 11 },
      'phases: it has 11 phases; more than 10 is not advised',
    ],
  ],
  contradicts: [[{ path: ['a'], kind: 'contradicts', what: 'b' }, 'a: contradicts b']],
  unreadable: [
    [
      { path: [], kind: 'unreadable', what: 'JSON', detail: 'it stops' },
      'the message is not readable as JSON: it stops',
    ],
  ],
  note: [[{ path: ['a'], kind: 'note', text: 'is odd' }, 'a: is odd']],
};

describe('every kind of finding has its sentence', () => {
  for (const [kind, rows] of Object.entries(SENTENCES)) {
    it(kind, () => {
      for (const [issue, sentence] of rows as [Issue, string][]) assert.equal(explainIssue(issue), sentence);
    });
  }

  it('every format says what a correct value looks like', () => {
    for (const format of Object.keys(FORMAT_EXAMPLES) as FormatName[]) {
      const sentence = explainIssue({ path: ['a'], kind: 'bad-format', format, got: 1 });
      assert.equal(sentence, `a: 1 is not ${FORMAT_EXAMPLES[format]}`);
    }
  });
});

describe('a sentence is one short line, whatever the message holds', () => {
  const long = 'k'.repeat(100_000);
  const rows: [string, Issue][] = [
    ['a long value', { path: ['a'], kind: 'repeated', got: long }],
    ['a long key', { path: [long], kind: 'unknown-field', known: ['a'] }],
    ['a deep path', { path: Array.from({ length: 64 }, () => 'k'.repeat(80)), kind: 'missing' }],
    ['many options', { path: ['a'], kind: 'not-one-of', options: Array.from({ length: 500 }, String), got: 1 }],
    [
      'a JSON error that quotes the text',
      { path: [], kind: 'unreadable', what: 'JSON', detail: `"a\n\r\u001b[2J${long}` },
    ],
    ['keys with control and direction characters', { path: ['a\u2028b\u202e\u0085\u0000'], kind: 'missing' }],
    ['a lone surrogate', { path: ['\ud800'], kind: 'repeated', got: '\udfff' }],
    ['a pair that the cut would part', { path: ['a'], kind: 'repeated', got: '😀'.repeat(100) }],
  ];
  for (const [name, issue] of rows) {
    it(name, () => {
      const sentence = explainIssue(issue);
      assert.ok(sentence.length <= 400, String(sentence.length));
      assert.doesNotMatch(sentence, /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u);
    });
  }

  it('of a deep path its end is shown', () => {
    const path = [...Array.from({ length: 60 }, (_, at) => `level${at}`), 'here'];
    assert.match(explainIssue({ path, kind: 'missing' }), /^….*level59\.here: is required$/);
  });

  it('a key that is no plain word is quoted', () => {
    assert.equal(explainIssue({ path: ['a b', 'c.d', 2, ''], kind: 'missing' }), '"a b"."c.d"[2]."": is required');
  });
});

it('a pointer is RFC 6901', () => {
  assert.equal(pointer([]), '');
  assert.equal(pointer(['a', 0, '', 'b/c', '~d', '~1']), '/a/0//b~1c/~0d/~01');
});
