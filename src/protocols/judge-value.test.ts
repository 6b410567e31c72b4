import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { MESSAGE_FINDINGS_MAX } from '../domain/federation/message-limits.ts';
import { amount, count, id, text } from './fields.ts';
import type { Issue } from './issue.ts';
import { judgeValue, type MessageKind, malformed, ownCodeOr, type UnknownFieldPolicy } from './judge-value.ts';

const schema = z.object({
  name: text(),
  level: z.enum(['low', 'high']),
  size: count(1).optional(),
  items: z
    .array(z.object({ id: id(), cost: amount().optional() }))
    .max(3)
    .optional(),
});

type Message = z.infer<typeof schema>;

function kindWith(unknownFields: UnknownFieldPolicy, more: Partial<MessageKind<Message>> = {}): MessageKind<Message> {
  return { kind: 'thing', schema, rules: [], advice: [], unknownFields, codeOf: () => 'invalid_thing', ...more };
}

const strict = kindWith(() => 'refuse');

function errorsOf(value: unknown, kind = strict): string[] {
  const verdict = judgeValue(value, kind);
  return verdict.verdict === 'malformed' ? verdict.errors.map(({ path, message }) => `${path} ${message}`) : [];
}

describe('findings', () => {
  it('several errors are all told, in the order of the message, what is missing last', () => {
    const value = { items: [{ cost: -1, id: '' }, 7], zzz: 1, size: 0, level: 'huge' };
    assert.deepEqual(errorsOf(value), [
      '/items/0/cost items[0].cost: -1 must be at least 0',
      '/items/0/id items[0].id: must not be empty',
      '/items/1 items[1]: must be an object, not 7',
      '/zzz zzz: is not a known field',
      '/size size: 0 must be at least 1',
      '/level level: "huge" is not one of low, high',
      '/name name: is required',
    ]);
  });

  const rows: [value: unknown, sentence: string][] = [
    [{ name: 1, level: 'low' }, '/name name: must be a string, not 1'],
    [{ name: null, level: 'low' }, '/name name: must be a string, not null'],
    [{ name: 'a', level: null }, '/level level: null is not one of low, high'],
    [{ name: 'a', level: 'low', size: 1.5 }, '/size size: must be a whole number, not 1.5'],
    [{ name: 'a', level: 'low', items: {} }, '/items items: must be a list, not an object'],
    [
      { name: 'a', level: 'low', items: [1, 2, 3, 4].map((at) => ({ id: `${at}` })) },
      '/items items: has 4 items; at most 3 are allowed',
    ],
    [
      { name: 'a', level: 'low', items: [{ id: '😀'.repeat(129) }] },
      '/items/0/id items[0].id: has 129 characters; at most 128 are allowed',
    ],
    ['text', ' the message must be an object, not "text"'],
    [null, ' the message must be an object, not null'],
    [{ name: 'a', level: 'low', constructor: 1 }, '/constructor constructor: is a key that no message may use'],
    [{ name: 'a', level: 'low', prototype: 1 }, '/prototype prototype: is a key that no message may use'],
  ];
  for (const [value, sentence] of rows) {
    it(`says: ${sentence}`, () => assert.deepEqual(errorsOf(value), [sentence]));
  }

  it('of very many only the first are told, and how many there were', () => {
    const value = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]));
    const verdict = judgeValue({ ...value, name: 'a', level: 'low' }, strict);
    assert.equal(verdict.verdict, 'malformed');
    const errors = verdict.verdict === 'malformed' ? verdict.errors : [];
    assert.equal(errors.length, MESSAGE_FINDINGS_MAX + 1);
    assert.ok(errors.some(({ message }) => message === 'the message has 99000 more findings, which are left out here'));
  });
});

describe('unknown fields', () => {
  const value = { name: 'a', extra: 1, level: 'low', items: [{ id: 'b', more: 2 }] };

  it('refused: the message is malformed', () => {
    assert.deepEqual(errorsOf(value), [
      '/extra extra: is not a known field',
      '/items/0/more items[0].more: is not a known field',
    ]);
  });

  it('kept: the same message, with a warning each', () => {
    const verdict = judgeValue(
      value,
      kindWith(() => 'keep'),
    );
    assert.ok(verdict.verdict === 'accepted');
    assert.equal(verdict.message, value);
    assert.deepEqual(
      verdict.warnings.map(({ code, path }) => [code, path]),
      [
        ['unknown_field', '/extra'],
        ['unknown_field', '/items/0/more'],
      ],
    );
  });

  it('dropped: a copy without them, with a warning each; what was given is not changed', () => {
    const verdict = judgeValue(
      value,
      kindWith(() => 'drop'),
    );
    assert.ok(verdict.verdict === 'accepted');
    assert.deepEqual(verdict.message, { name: 'a', level: 'low', items: [{ id: 'b' }] });
    assert.equal(verdict.warnings.length, 2);
    assert.equal(value.items[0]?.more, 2);
  });

  it('allowed: not a word', () => {
    const verdict = judgeValue(
      value,
      kindWith(() => 'allow'),
    );
    assert.ok(verdict.verdict === 'accepted');
    assert.deepEqual([verdict.message, verdict.warnings], [value, []]);
  });

  it('constructor and prototype are refused whatever the policy', () => {
    for (const policy of ['keep', 'drop', 'allow'] as const) {
      assert.equal(
        judgeValue(
          { ...value, prototype: 1 },
          kindWith(() => policy),
        ).verdict,
        'malformed',
      );
    }
  });
});

describe('rules and advice', () => {
  const tooLow = (message: Message): Issue[] =>
    message.level === 'low' ? [{ path: ['level'], kind: 'note', text: 'is low', code: 'low' }] : [];

  it('a broken rule makes the message malformed', () => {
    assert.deepEqual(errorsOf({ name: 'a', level: 'low' }, { ...strict, rules: [tooLow] }), ['/level level: is low']);
    assert.equal(judgeValue({ name: 'a', level: 'high' }, { ...strict, rules: [tooLow] }).verdict, 'accepted');
  });

  it('rules are not asked about a message of the wrong shape', () => {
    const rules = [() => assert.fail('asked')];
    assert.equal(errorsOf({ name: 'a' }, { ...strict, rules }).length, 1);
  });

  it('advice that is not taken is a warning', () => {
    const verdict = judgeValue({ name: 'a', level: 'low' }, { ...strict, advice: [tooLow] });
    assert.equal(verdict.verdict, 'accepted');
    assert.deepEqual(verdict.warnings, [{ code: 'low', path: '/level', message: 'level: is low' }]);
  });

  it('the code that all errors agree on wins, else the codec has its own', () => {
    const own: Issue = { path: [], kind: 'missing', code: 'own' };
    const none: Issue = { path: [], kind: 'missing' };
    assert.equal(ownCodeOr([own, own], 'other'), 'own');
    assert.equal(ownCodeOr([own, none], 'other'), 'other');
    assert.equal(ownCodeOr([none], 'other'), 'other');
    assert.equal(ownCodeOr([], 'other'), 'other');
  });

  it('a verdict can be made of findings alone', () => {
    assert.deepEqual(malformed({ kind: null, code: 'code' }, [{ path: ['a'], kind: 'missing' }]), {
      verdict: 'malformed',
      kind: null,
      code: 'code',
      errors: [{ path: '/a', message: 'a: is required' }],
      warnings: [],
    });
  });
});
