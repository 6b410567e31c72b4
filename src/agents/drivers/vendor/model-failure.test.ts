import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorWords, modelFailure } from './model-failure.ts';

test('the sentence of an error is taken out of the JSON of an API', () => {
  const inner = '{"error":{"message":"too long","code":400}}';
  const cases = [
    ['no JSON', 'no JSON'],
    [inner, 'too long'],
    [`[API Error: ${inner}]`, '[API Error: too long]'],
    [`{"type":"error","error":{"type":"x","message":"Overloaded"}}`, 'Overloaded'],
    [JSON.stringify({ error: { message: inner } }), 'too long'],
    ['a {brace} alone', 'a {brace} alone'],
    ['{"error":"words"}', '{"error":"words"}'],
    ['} {', '} {'],
  ] as const;
  for (const [text, words] of cases) assert.equal(errorWords(text), words);
});

test('the code of a failure is that of its status, or of the words for a model that is not there', () => {
  const codes = [
    [401, 'x', 'E_PERMISSION_DENIED'],
    [403, 'x', 'E_PERMISSION_DENIED'],
    [404, 'x', 'E_MODEL_UNAVAILABLE'],
    [400, 'The model `nope` does not exist', 'E_MODEL_UNAVAILABLE'],
    [400, 'prompt is too long', 'E_PROCESS_CRASH'],
    [429, 'x', 'E_MODEL_UNAVAILABLE'],
    [529, 'x', 'E_MODEL_UNAVAILABLE'],
    [null, 'x', 'E_PROCESS_CRASH'],
  ] as const;
  for (const [status, message, code] of codes) assert.equal(modelFailure({ status, message }, 'log in').code, code);
});
