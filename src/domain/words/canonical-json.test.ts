import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SEED } from '../../../test/support/seed.ts';
import { canonicalJson } from './canonical-json.ts';

function textOf(value: unknown): string {
  const answer = canonicalJson(value);
  assert.equal(answer.kind, 'text', JSON.stringify(answer));
  return answer.kind === 'text' ? answer.text : '';
}

test('RFC 8785 §3.2.2 to §3.2.4: the sample gives its bytes', () => {
  const sample = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  const bytes = `
    7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72
    75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65 72 73 22 3a
    5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31
    65 2b 33 30 2c 34 2e 35 2c 30 2e 30 30 32 2c 31 65 2d 32 37
    5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30
    30 66 5c 6e 41 27 42 5c 22 5c 5c 5c 5c 5c 22 2f 22 7d`;
  const want = Buffer.from(bytes.replace(/\s/g, ''), 'hex').toString('utf8');
  assert.equal(textOf(JSON.parse(sample)), want);
});

test('RFC 8785 §3.2.3: keys are sorted by their UTF-16 units', () => {
  const sample = String.raw`{
    "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
  }`;
  assert.deepEqual(
    [...textOf(JSON.parse(sample)).matchAll(/:"([^"]*)"/g)].map(([, name]) => name),
    [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ],
  );
});

/** RFC 8785, appendix B. */
const NUMBERS: ReadonlyArray<readonly [string, string]> = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

test('RFC 8785, appendix B: numbers', () => {
  for (const [bits, want] of NUMBERS) assert.equal(textOf(Buffer.from(bits, 'hex').readDoubleBE()), want, bits);
  for (const bits of ['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000']) {
    assert.equal(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE()).kind, 'none');
  }
});

test('what has no one text is told with its place', () => {
  const cases: ReadonlyArray<readonly [unknown, string]> = [
    [{ a: ['\ud83d'] }, '/a/0'],
    [{ a: '\ude00x' }, '/a'],
    [{ 'a/b~': { '\ud800': 1 } }, '/a~1b~0/\ud800'],
    [{ a: undefined }, '/a'],
    // biome-ignore lint/suspicious/noSparseArray: a hole is no value
    [[1, , 2], '/1'],
    [{ at: new Date(0) }, '/at'],
    [10n, ''],
    [() => 1, ''],
    [{ deep: { number: Number.NaN } }, '/deep/number'],
  ];
  for (const [value, path] of cases) {
    const answer = canonicalJson(value);
    assert.ok(answer.kind === 'none');
    assert.equal(answer.path, path);
  }
});

test('of random values the text is read as the same value, has no choice left, and ignores the order of keys', () => {
  const values = fc.jsonValue({ maxDepth: 5 });
  fc.assert(
    fc.property(values, (value) => {
      if (canonicalJson(value).kind === 'none') return;
      const text = textOf(value);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(textOf(JSON.parse(text)), text);
      assert.equal(textOf(reversed(value)), text);
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, inner]) => [key, reversed(inner)] as const);
  return Object.fromEntries(fields.reverse());
}
