import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSafeJson, visible } from './safe-json.ts';

test('marks of direction, controls and invisible characters are shown by name', () => {
  assert.equal(visible('a\u202eb\u0007c\u200bd'), 'a⟨U+202E⟩b⟨U+0007⟩c⟨U+200B⟩d');
  assert.equal(visible('\u{e0041}'), '⟨U+E0041⟩');
  assert.equal(visible('tab\tand\r\nline\n'), 'tab\tand\nline\n');
  assert.equal(visible('Grüße 日本 👩‍🚀'.replaceAll('\u200d', '')), 'Grüße 日本 👩🚀');
});

test('every string of an answer is safe, however JSON writes it', () => {
  for (const text of ['{"a":["x\\u202ey"]}', `{"a":["x\u202ey"]}`]) {
    assert.deepEqual(readSafeJson(text), { a: ['x⟨U+202E⟩y'] });
  }
  assert.deepEqual(readSafeJson('{"a":"\\u001b[31mred"}'), { a: 'red' });
  assert.deepEqual(readSafeJson('{"a":"\\u001b]52;c;eA==\\u0007"}'), { a: '⟨U+001B⟩]52;c;eA==⟨U+0007⟩' });
  assert.deepEqual(readSafeJson('{"a":"\\u00e9"}'), { a: 'é' });
});

test('output of programs keeps its colours and nothing else of a terminal', () => {
  const line = '\u001b[1;32mok\u001b[0m\u001b[2J\u202e\u001b]0;title\u0007';
  assert.deepEqual(readSafeJson(JSON.stringify({ result: line })), {
    result: '\u001b[1;32mok\u001b[0m⟨U+001B⟩[2J⟨U+202E⟩⟨U+001B⟩]0;title⟨U+0007⟩',
  });
});

test('of a line that was written over, output shows what is left', () => {
  const result = 'a\n10 %\r90 %\rdone\r\nb';
  assert.deepEqual(readSafeJson(JSON.stringify({ result })), { result: 'a\ndone\nb' });
});
