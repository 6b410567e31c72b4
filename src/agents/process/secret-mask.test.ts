import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MASK, secretMask } from './secret-mask.ts';

const SECRET = 'hunter2-"päss"/word+9';

const FORMS: readonly (readonly [name: string, text: string])[] = [
  ['as it is', SECRET],
  ['in JSON', JSON.stringify({ token: SECRET })],
  ['in JSON within JSON', JSON.stringify(JSON.stringify({ token: SECRET }))],
  ['in an address', `https://example.com/?t=${encodeURIComponent(SECRET)}`],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ['in capital hexadecimal', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64 of more', Buffer.from(`user:${SECRET}:x`).toString('base64')],
  ['in base64 of yet more', Buffer.from(`admin:${SECRET}!`).toString('base64url')],
];

for (const [name, text] of FORMS) {
  test(`a secret is masked ${name}`, () => {
    const masked = secretMask([SECRET]).apply(`before ${text} after`);
    assert.ok(masked.includes(MASK), masked);
    assert.ok(!masked.includes('hunter2') && masked.startsWith('before ') && masked.endsWith(' after'));
    const rest = masked.replaceAll(MASK, '');
    assert.ok(!Buffer.from(rest, 'base64').toString().includes('unter'), rest);
  });
}

test('of two secrets that begin alike the longer one leaves no rest', () => {
  assert.equal(secretMask(['secret-1', 'secret-1-long']).apply('a secret-1-long b secret-1'), `a ${MASK} b ${MASK}`);
});

test('a secret of several lines is masked line by line', () => {
  const mask = secretMask(['-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----']);
  assert.equal(mask.apply('MIIEvQIBADANBg'), MASK);
  assert.equal(mask.apply('  kqhkiG9w0BAQEF'), `  ${MASK}`);
});

test('values that ordinary words are made of are not masked', () => {
  assert.equal(secretMask(['', 'a', 'true', '12345']).apply('a true 12345'), 'a true 12345');
});

test('a line without secrets is handed on as it is', () => {
  const text = '{"type":"text","text":"$^.*+?()[]{}|\\\\"}';
  assert.equal(secretMask([SECRET, '$^.*+?()[]{}']).apply('x'), 'x');
  assert.equal(secretMask([]).apply(text), text);
  assert.equal(secretMask(['$^.*+?()[]{}']).apply(text), `{"type":"text","text":"${MASK}|\\\\"}`);
});
