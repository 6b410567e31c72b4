import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JSON_DEPTH_MAX } from '../domain/federation/message-limits.ts';
import { JsonScanner } from './json-scanner.ts';

/** Every token with its text, up to and with the last one. */
function tokensOf(...pieces: string[]): string[] {
  const scanner = new JsonScanner();
  const tokens: string[] = [];
  for (const piece of pieces) {
    scanner.feed(piece);
    for (;;) {
      const token = scanner.next();
      if (token === 'end') break;
      tokens.push(token === 'broken' ? token : `${token} ${piece.slice(scanner.start, scanner.end)}`);
      if (token === 'broken' || token === 'cut') return tokens;
    }
  }
  return scanner.isComplete ? tokens : [...tokens, 'open'];
}

describe('the scanner of JSON', () => {
  it('finds each token of a value', () => {
    assert.deepEqual(tokensOf('{"a": [1, "b\\"c", true], "d": {}}'), [
      'object {',
      'key "a"',
      'list [',
      'scalar 1',
      'string "b\\"c"',
      'scalar true',
      'close ]',
      'key "d"',
      'object {',
      'close }',
      'close }',
    ]);
    assert.deepEqual(tokensOf(' null '), ['scalar null']);
  });

  it('continues in the next piece between two tokens, and nowhere else', () => {
    const text = '{"a":[1,{"b":null}],"c":""}';
    const whole = tokensOf(text);
    for (let at = 0; at <= text.length; at++) {
      const [first, second] = [text.slice(0, at), text.slice(at)];
      const isInside = /"\w*$/.test(first) && !/(^|[{[,:])"\w*"$/.test(first);
      if (!isInside && !/nu?l?l?$/.test(first)) assert.deepEqual(tokensOf(first, second), whole, `${first}|${second}`);
    }
    assert.deepEqual(tokensOf('{"a', '":1}'), ['object {', 'cut "a']);
  });

  it('breaks at the first token that the grammar does not allow', () => {
    for (const text of [
      '}',
      '{]',
      '[}',
      '{1:2}',
      '{"a"}',
      '{"a" 1}',
      '[1 2]',
      '[,]',
      '[1,]',
      '{"a":1,}',
      '{,}',
      '01',
      '+1',
      '.5',
      'tru',
      '{} {}',
      '1 2',
      ':',
      '[1]]',
      "{'a':1}",
      'NaN',
    ]) {
      assert.equal(tokensOf(text).at(-1), 'broken', text);
      assert.throws(() => JSON.parse(text), text);
    }
  });

  it('breaks below the deepest level', () => {
    const scanner = new JsonScanner('['.repeat(JSON_DEPTH_MAX + 1));
    for (let depth = 1; depth <= JSON_DEPTH_MAX; depth++) assert.equal(scanner.next(), 'list');
    assert.equal(scanner.next(), 'broken');
    assert.equal(scanner.isTooDeep, true);
    assert.equal(scanner.next(), 'broken');
  });

  it('is complete only when the value is', () => {
    for (const text of ['', ' ', '{', '[1,', '{"a":', '{"a"']) assert.equal(tokensOf(text).at(-1), 'open', text);
  });
});
