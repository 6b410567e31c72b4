import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { receiptFacts } from '../../test/support/work/a-receipt.ts';
import { canonicalJson } from '../domain/words/canonical-json.ts';
import { openNodeKey } from '../platform/node-key.ts';
import { readJsonText } from '../protocols/read-json-text.ts';
import { type Receipt, receiptFile, signReceipt, verifyReceipt as verify, writeReceipt } from './receipt.ts';

const verifyReceipt = (given: string | Uint8Array) => verify(given, readJsonText);

const folder = mkdtempSync(join(tmpdir(), 'baton-receipt-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const key = openNodeKey(folder);
const text = signReceipt(receiptFacts(), key);

function changed(change: (receipt: Record<string, unknown>) => void): string {
  const receipt = JSON.parse(text) as Record<string, unknown>;
  change(receipt);
  return JSON.stringify(receipt);
}

function brokenAt(broken: string): string {
  const verdict = verifyReceipt(broken);
  assert.ok(verdict.verdict === 'broken', broken.slice(0, 200));
  assert.notEqual(verdict.reason, '');
  return verdict.path;
}

test('a receipt is its own canonical text, and is valid with nothing but this text', () => {
  const verdict = verifyReceipt(text);
  assert.ok(verdict.verdict === 'valid', JSON.stringify(verdict));
  const { receipt } = verdict;
  assert.deepEqual(canonicalJson(receipt), { kind: 'text', text });
  assert.equal(receipt.signer.keyId, key.keyId);
  assert.equal(receipt.isSandboxed, true);
  assert.deepEqual(receipt.cost, { usd: 0.3, tokens: 15_700, reported: 'at-end' });
  assert.deepEqual(receipt.claim, { signal: 'SUCCESS', message: 'All done.' });
});

test('the same value written in another way is as valid', () => {
  const value = JSON.parse(text) as object;
  const others = [
    JSON.stringify(value, null, 2),
    `\ufeff ${JSON.stringify(Object.fromEntries(Object.entries(value).reverse()))}\n`,
    text.replace('"emma"', '"\\u0065mma"').replace('1234', '1.234e3'),
  ];
  for (const other of others) assert.equal(verifyReceipt(other).verdict, 'valid', other.slice(0, 100));
});

test('a change of any one byte breaks it', () => {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length; at++) {
    for (const mask of [1, 2, 0x20, 0x80]) {
      const other = Buffer.from(bytes);
      other[at] = (other[at] ?? 0) ^ mask;
      assert.equal(verifyReceipt(other).verdict, 'broken', `byte ${at}, mask ${mask}`);
    }
  }
});

test('a byte too few or too many breaks it', () => {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length; at += 7) {
    const without = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    const twice = Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]);
    for (const other of [without, twice])
      assert.equal(verifyReceipt(other.toString('utf8')).verdict, 'broken', `${at}`);
  }
});

const CHANGES: Readonly<Record<string, (receipt: Record<string, unknown>) => void>> = {
  '/version': (receipt) => Object.assign(receipt, { version: 2 }),
  '/task': (receipt) => delete receipt['task'],
  '/agent': (receipt) => Object.assign(receipt, { agent: 7 }),
  '/files': (receipt) => Object.assign(receipt, { files: [{ path: 'a' }] }),
  '/signer/publicKey': (receipt) => Object.assign(receipt['signer'] as object, { publicKey: 'AAAA' }),
  '/signer/keyId': (receipt) => Object.assign(receipt['signer'] as object, { keyId: 'f'.repeat(64) }),
  '/signer/algorithm': (receipt) => Object.assign(receipt['signer'] as object, { algorithm: 'none' }),
  '/signature': (receipt) => Object.assign(receipt, { verdict: { signal: 'SUCCESS', message: 'better' } }),
};

for (const [path, change] of Object.entries(CHANGES)) {
  test(`what is wrong is told with its place, ${path}`, () => assert.equal(brokenAt(changed(change)), path));
}

test('a signature of another length, of another key, or written in a second way is broken', () => {
  const { signature } = JSON.parse(text) as Receipt;
  for (const other of [
    '',
    'AAAA',
    `${signature}A`,
    `${signature}==`,
    Buffer.from(signature, 'base64url').toString('hex'),
  ]) {
    assert.equal(brokenAt(changed((receipt) => Object.assign(receipt, { signature: other }))), '/signature');
  }
  const stranger = generateKeyPairSync('ed25519');
  const { signature: _, ...signed } = JSON.parse(text) as Receipt;
  const canonical = canonicalJson(signed);
  assert.ok(canonical.kind === 'text');
  const forged = sign(null, Buffer.from(canonical.text), stranger.privateKey).toString('base64url');
  assert.equal(brokenAt(changed((receipt) => Object.assign(receipt, { signature: forged }))), '/signature');
  const { x = '' } = stranger.publicKey.export({ format: 'jwk' });
  assert.equal(
    brokenAt(changed((receipt) => Object.assign(receipt['signer'] as object, { publicKey: x }))),
    '/signer/keyId',
  );
  const keyId = createHash('sha256').update(Buffer.from(x, 'base64url')).digest('hex');
  assert.equal(
    brokenAt(changed((receipt) => Object.assign(receipt['signer'] as object, { publicKey: x, keyId }))),
    '/signature',
  );
});

test('a key that stands twice is broken, whichever of them is right', () => {
  assert.equal(brokenAt(`{"agent":"magneto",${text.slice(1)}`), '/agent');
  assert.equal(brokenAt(`${text.slice(0, -1)},"agent":"magneto"}`), '/agent');
  assert.equal(brokenAt(text.replace('"verdict":{', '"verdict":{"signal":"FAILURE",')), '/verdict/signal');
});

test('what is no receipt at all is broken, not an error', () => {
  for (const other of [
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '{}',
    '{"version":1}',
    '\0',
    '['.repeat(100_000),
    `{"version":1,"a":"\\ud800"}`,
  ]) {
    assert.equal(verifyReceipt(other).verdict, 'broken', other.slice(0, 20));
  }
});

test('half a character that an agent printed does not keep a receipt from being signed', () => {
  const claim = { signal: null, message: 'half \ud83d' };
  const verdict = verifyReceipt(signReceipt(receiptFacts({ claim }), key));
  assert.ok(verdict.verdict === 'valid');
  assert.equal(verdict.receipt.claim?.message, 'half \ufffd');
});

test('a receipt lies with its run, for its owner only, and the next one takes its place whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-receipt-'));
  try {
    const file = await writeReceipt(folder, 'TASK-2026-02-09-057', '{"a":1}');
    assert.equal(file, join(folder, 'runs/TASK-2026-02-09-057/receipt.json'));
    assert.equal(file, receiptFile(folder, 'TASK-2026-02-09-057'));
    await writeReceipt(folder, 'TASK-2026-02-09-057', '{}');
    assert.equal(readFileSync(file, 'utf8'), '{}');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(dirname(file)), ['receipt.json']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
