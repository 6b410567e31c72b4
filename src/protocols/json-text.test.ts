import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JSON_DEPTH_MAX } from '../domain/federation/message-limits.ts';
import { MIB } from '../domain/limits.ts';
import { isJsonObject } from '../domain/words/json-object.ts';
import { explainIssue } from './explain-issue.ts';
import { type Issue, pointer } from './issue.ts';
import { readJson, startsLikeJson } from './json-text.ts';

const nested = (depth: number, inner = '') => '['.repeat(depth) + inner + ']'.repeat(depth);
const inObjects = (depth: number) => '{"a":'.repeat(depth) + '1'.concat('}'.repeat(depth));

function issueOf(text: string): Issue {
  const reading = readJson(text);
  assert.equal(reading.kind, 'broken', text.slice(0, 200));
  return (reading as { issue: Issue }).issue;
}

describe('texts that are read', () => {
  const rows: [string, string][] = [
    ['an object', '{"a":1,"b":{"a":2}}'],
    ['a scalar', '-0.5e-3'],
    ['the same key in two objects of a list', '[{"a":1},{"a":2}]'],
    ['lists at the limit of depth', nested(JSON_DEPTH_MAX)],
    ['objects at the limit of depth', inObjects(JSON_DEPTH_MAX)],
    ['many lists beside each other', `[${Array.from({ length: 500 }, () => '[]').join()}]`],
    ['colons, brackets and quotes inside strings', '{"a:{[":"\\"}:,\\\\","b\\"":"]]]"}'],
    ['strings that start with a colon', '{"a":":b","c":[":",":x:"]}'],
    ['a key that ends in a backslash', '{"a\\\\":1,"b":2}'],
    ['more brackets in a string than levels are allowed', `{"a":"${'[{'.repeat(JSON_DEPTH_MAX)}"}`],
    ['strings that start with a colon', '{"a":":","b":[":",":1"]}'],
    ['keys that end in a backslash', '{"a\\\\":1,"b\\"":2}'],
    ['keys that differ only in case', '{"a":1,"A":2}'],
    ['keys that differ only by normal form', '{"\\u00e9":1,"e\\u0301":2}'],
    ['constructor and prototype, which the codecs judge', '{"constructor":1,"prototype":2,"hasOwnProperty":3}'],
    ['__proto__ as a value', '["__proto__",{"a":"__proto__"}]'],
    ['the largest number there is', '[1.7976931348623157e308,-1.7976931348623157e308,5e-324,1e-400]'],
    ['escaped lone surrogates', '["\\ud800","\\udfff","\\ud83d\\ude00"]'],
    ['blanks around everything', ' \t\r\n{ "a" : [ ] , "b" : { } } \n'],
    ['keys that look like numbers', '{"2":1,"1":2,"":3}'],
  ];
  for (const [name, text] of rows) {
    it(name, () => assert.deepEqual(readJson(text), { kind: 'value', value: JSON.parse(text) }));
  }

  it('lone surrogates are kept, and go out as their escape', () => {
    const reading = readJson('["\\ud800"]');
    assert.deepEqual(reading, { kind: 'value', value: ['\ud800'] });
    assert.equal(JSON.stringify(reading.value), '["\\ud800"]');
  });
});

describe('texts that are broken', () => {
  const rows: [name: string, text: string, kind: Issue['kind'], path: string][] = [
    ['lists one level too deep', nested(JSON_DEPTH_MAX + 1), 'over-limit', ''],
    ['objects one level too deep', inObjects(JSON_DEPTH_MAX + 1), 'over-limit', ''],
    ['a million levels', nested(1_000_000), 'over-limit', ''],
    ['a million levels that never close', '['.repeat(1_000_000), 'over-limit', ''],
    ['a repeated key', '{"a":1,"b":2,"a":3}', 'repeated', '/a'],
    ['a repeated key that is written with an escape', '{"a":1,"\\u0061":2}', 'repeated', '/a'],
    ['a repeated key below', '{"x":{"y":{"a":1,"a":1}}}', 'repeated', '/x/y/a'],
    ['a repeated key in a list', '[{"a":1},[1,{"b":1,"b":2}]]', 'repeated', '/1/1/b'],
    ['a repeated key with blanks before its colon', '{"a" \n : 1, "a"\t:2}', 'repeated', '/a'],
    ['a repeated key beside a string that starts with a colon', '{"a":":","b":1,"a":2}', 'repeated', '/a'],
    ['a repeated key with one blank, and a colon for it in a string', '{"a":1,"a" :2,"b":":"}', 'repeated', '/a'],
    ['a repeated key beside many brackets', `{"a":"${'[{'.repeat(JSON_DEPTH_MAX)}","b":1,"b":2}`, 'repeated', '/b'],
    ['a repeated key beside a string that starts with a colon', '{"a":":","b":":","a":1}', 'repeated', '/a'],
    ['a repeated key that ends in a backslash', '{"a\\\\":1,"a\\\\":2}', 'repeated', '/a\\'],
    ['a repeated empty key', '{"":1,"":2}', 'repeated', '/'],
    ['a repeated key with a slash and a tilde', '{"a/~b":1,"a/~b":2}', 'repeated', '/a~1~0b'],
    ['a __proto__ key', '{"__proto__":1}', 'forbidden-key', '/__proto__'],
    ['an escaped __proto__ key', '{"a":[{"\\u005f\\u005fproto__":{}}]}', 'forbidden-key', '/a/0/__proto__'],
    ['a __proto__ key whose value is null', '{"a":{"__proto__":null}}', 'forbidden-key', '/a/__proto__'],
    ['a number beyond all numbers', '{"a":[0,1e400]}', 'unreadable', '/a/1'],
    ['a negative number beyond all numbers', '-1e999', 'unreadable', ''],
    ['a number of 400 digits', `{"n":${'9'.repeat(400)}}`, 'unreadable', '/n'],
    ['a byte order mark', '\ufeff{}', 'unreadable', ''],
    ['data after the value', '{} {}', 'unreadable', ''],
    ['a comma after the value', '{},', 'unreadable', ''],
    ['nothing', '', 'unreadable', ''],
    ['blanks alone', ' \n', 'unreadable', ''],
    ['half an object', '{"a":', 'unreadable', ''],
    ['a string that never ends', '{"a":"b', 'unreadable', ''],
    ['a raw line end in a string', '"a\nb"', 'unreadable', ''],
    ['a raw NUL', '{"a":1}\u0000', 'unreadable', ''],
    ['NaN', '[NaN]', 'unreadable', ''],
    ['a comment', '{} // no', 'unreadable', ''],
    ['single quotes', "{'a':1}", 'unreadable', ''],
    ['closing what was not opened', ']]]]{}', 'unreadable', ''],
  ];
  for (const [name, text, kind, path] of rows) {
    it(name, () => {
      const issue = issueOf(text);
      assert.equal(issue.kind, kind);
      assert.equal(pointer(issue.path), path);
      assert.match(explainIssue(issue), /^[^\n]{1,400}$/);
    });
  }

  it('a broken text still tells what it meant to be, but one that does not parse tells nothing', () => {
    assert.deepEqual(readJson('{"a":1,"a":2}').value, { a: 2 });
    assert.equal(readJson('{"a":1').value, undefined);
    assert.equal(readJson(nested(65)).value, undefined);
  });

  it('no prototype is changed', () => {
    const before = Reflect.ownKeys(Object.prototype).length;
    readJson('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    assert.equal(Reflect.ownKeys(Object.prototype).length, before);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
});

describe('16 MiB that mean harm are judged in linear time', () => {
  const rows: [string, () => string][] = [
    ['a million backslashes before a quote', () => `["${'\\'.repeat(1_000_000)}"]`],
    ['backslashes', () => filled('\\\\', '["', '"]')],
    ['a string of backslashes that never ends', () => filled('\\', '["')],
    ['escaped quotes', () => filled('\\"', '["', '"]')],
    ['quotes', () => filled('"', '[')],
    ['blanks between a key and its colon', () => filled(' ', '{"a"', ':1}')],
    ['colons', () => filled(':', '{')],
    ['closing brackets', () => filled(']')],
    ['a repeated key at the very end', () => filled('0,', '[', '{"a":1,"a":2}]')],
    ['a number beyond all numbers, at the end, deep down', () => nested(62, `{"a":[${filled('"",')}1e400]}`)],
    ['one key', () => filled('k', '{"', '":1}')],
  ];
  for (const [name, make] of rows) {
    it(name, () => {
      const text = make();
      // Of the processor, not of the clock: others may work on this machine.
      const started = process.cpuUsage();
      readJson(text);
      const { user, system } = process.cpuUsage(started);
      assert.ok(user + system < 3_000_000, `${(user + system) / 1000} ms`);
    });
  }

  function filled(unit: string, before = '', after = ''): string {
    return before + unit.repeat(Math.floor((16 * MIB) / unit.length)) + after;
  }
});

describe('what a text or a value is', () => {
  it('only objects and lists start like JSON', () => {
    for (const text of ['{', '[', ' \n\t{x', '\ufeff{']) assert.equal(startsLikeJson(text), true, text);
    for (const text of ['', ' ', '"{"', 'x{', '1', 'null', '# {']) assert.equal(startsLikeJson(text), false, text);
  });

  it('a list and null are no objects', () => {
    assert.deepEqual([{}, [], null, 'a', 1, undefined].map(isJsonObject), [true, false, false, false, false, false]);
  });
});
