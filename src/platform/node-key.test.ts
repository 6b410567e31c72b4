import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { KeyFault } from './key-fault.ts';
import { findKeyProblem, openNodeKey } from './node-key.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a key is made once, for its owner only, and nothing else is left behind', () => {
  const made = openNodeKey(folder);
  const found = openNodeKey(folder);
  assert.deepEqual(found.publicKey, made.publicKey);
  assert.equal(made.publicKey.length, 32);
  assert.equal(made.keyId, createHash('sha256').update(made.publicKey).digest('hex'));
  assert.equal(statSync(join(folder, 'node.key')).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['node.key']);
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(made.publicKey).toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  assert.ok(verify(null, Buffer.from('a'), key, found.sign(Buffer.from('a'))));
});

const ASKS_FOR_KEYS = `
  import { openNodeKey } from ${JSON.stringify(new URL('./node-key.ts', import.meta.url).href)};
  process.stdout.write('ready\\n');
  process.stdin.once('data', (folders) => {
    for (const folder of JSON.parse(folders)) process.stdout.write(openNodeKey(folder).keyId + '\\n');
    process.exit();
  });`;

test('processes that need it at once all get the same', async () => {
  const folders = Array.from({ length: 50 }, (_, at) => join(folder, String(at)));
  for (const each of folders) mkdirSync(each);
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', ASKS_FOR_KEYS], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, 'readable')));
  for (const { stdin } of children) stdin.write(JSON.stringify(folders));
  const told = await Promise.all(children.map(async ({ stdout }) => (await stdout.toArray()).join('')));
  assert.match(told[0] ?? '', /^ready\n(?:[0-9a-f]{64}\n){50}$/);
  assert.equal(new Set(told).size, 1);
  for (const each of folders) assert.deepEqual(readdirSync(each), ['node.key']);
});

test('a key that others can read is closed to them', () => {
  const { keyId } = openNodeKey(folder);
  chmodSync(join(folder, 'node.key'), 0o644);
  assert.equal(openNodeKey(folder).keyId, keyId);
  assert.equal(statSync(join(folder, 'node.key')).mode & 0o777, 0o600);
});

test('what is no key is kept aside, and a new key is made', () => {
  const path = join(folder, 'node.key');
  openNodeKey(folder);
  const whole = readFileSync(path, 'utf8');
  for (const content of ['', 'nonsense', whole.slice(0, whole.length / 2), 'x'.repeat(10_000)]) {
    writeFileSync(path, content, { mode: 0o600 });
    assert.match(findKeyProblem(folder) ?? '', /node\.key is damaged/);
    const { keyId } = openNodeKey(folder);
    assert.equal(openNodeKey(folder).keyId, keyId);
    assert.equal(findKeyProblem(folder), null);
    assert.equal(readFileSync(`${path}.damaged`, 'utf8'), content);
  }
});

test('a key of another kind and a link are refused and left as they are', () => {
  const path = join(folder, 'node.key');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(path, rsa, { mode: 0o600 });
  assert.throws(() => openNodeKey(folder), KeyFault);
  assert.equal(readFileSync(path, 'utf8'), rsa);
  rmSync(path);
  symlinkSync('/dev/null', path);
  assert.throws(() => openNodeKey(folder), KeyFault);
});
