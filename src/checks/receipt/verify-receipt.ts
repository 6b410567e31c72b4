import { createHash, createPublicKey, verify } from 'node:crypto';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { explainIssue } from '../../protocols/explain-issue.ts';
import { pointer } from '../../protocols/issue.ts';
import { isJsonObject, type JsonObject, readJson } from '../../protocols/json-text.ts';
import { RECEIPT_VERSION, type Receipt } from './receipt.ts';

export type ReceiptVerdict =
  | { readonly verdict: 'valid'; readonly receipt: Receipt }
  /** `path` is a JSON Pointer to what is wrong; empty for the whole. */
  | { readonly verdict: 'broken'; readonly path: string; readonly reason: string };

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Needs nothing but the text: the receipt carries the key. Whose key it is, its id tells who knows it. */
export function verifyReceipt(given: string | Uint8Array): ReceiptVerdict {
  const text = typeof given === 'string' ? given.replace(/^\ufeff/, '') : decoded(given);
  if (text === null) return broken('', 'the receipt is not UTF-8');
  const reading = readJson(text);
  if (reading.kind === 'broken') {
    return broken(pointer(reading.issue.path), explainIssue(reading.issue));
  }
  const { value } = reading;
  if (!isJsonObject(value)) return broken('', 'a receipt is a JSON object');
  if (value['version'] !== RECEIPT_VERSION)
    return broken('/version', `is not ${RECEIPT_VERSION}, the version this Baton knows`);
  return findMisfit(value) ?? findForgery(value) ?? { verdict: 'valid', receipt: value as unknown as Receipt };
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Thrown for bytes that are no UTF-8, and for nothing else.
    return null;
  }
}

function findForgery(value: JsonObject): ReceiptVerdict | null {
  const { signature, ...signed } = value;
  const signer = signed['signer'] as Receipt['signer'];
  if (signer.algorithm !== 'Ed25519') return broken('/signer/algorithm', 'is not Ed25519');
  const publicKey = bytesOf(signer.publicKey, KEY_BYTES);
  if (!publicKey) return broken('/signer/publicKey', `is not ${KEY_BYTES} bytes as base64url`);
  const keyId = createHash('sha256').update(publicKey).digest('hex');
  if (signer.keyId !== keyId) return broken('/signer/keyId', 'is not the SHA-256 of the public key');
  const signatureBytes = bytesOf(signature as string, SIGNATURE_BYTES);
  if (!signatureBytes) return broken('/signature', `is not ${SIGNATURE_BYTES} bytes as base64url`);
  const canonical = canonicalJson(signed);
  if (canonical.kind === 'none') return broken(canonical.path, canonical.reason);
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: signer.publicKey }, format: 'jwk' });
  if (verify(null, Buffer.from(canonical.text, 'utf8'), key, signatureBytes)) return null;
  return broken('/signature', 'does not belong to this content: something was changed after it was signed');
}

/** Null unless the text is the one way to write so many bytes. */
function bytesOf(text: string, length: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : null;
}

/** What readers of a receipt rely on; the rest of it is held by the signature. */
const FIELDS: ReadonlyArray<readonly [path: string, isRight: (value: unknown) => boolean, is: string]> = [
  ...[
    'task',
    'run',
    'agent',
    'workspace',
    'startedAt',
    'endedAt',
    'sandbox',
    'network',
    'batonVersion',
    'signature',
  ].map((name) => [name, isText, 'a text'] as const),
  ...['checksBefore', 'checksAfter'].map(
    (name) => [name, isListOf('id', 'result', 'reason'), 'a list of checks'] as const,
  ),
  ['files', isListOf('path', 'sha256'), 'a list of files'],
  ['cost/usd', isNumber, 'a number'],
  ['cost/tokens', isNumber, 'a number'],
  ['verdict/signal', isText, 'a text'],
  ['verdict/message', isText, 'a text'],
  ['signer/algorithm', isText, 'a text'],
  ['signer/publicKey', isText, 'a text'],
  ['signer/keyId', isText, 'a text'],
];

function findMisfit(value: JsonObject): ReceiptVerdict | null {
  for (const [path, isRight, is] of FIELDS) {
    const found = path.split('/').reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
    if (!isRight(found)) return broken(`/${path}`, found === undefined ? 'is missing' : `is not ${is}`);
  }
  return null;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function isListOf(...names: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    Array.isArray(value) && value.every((item) => isJsonObject(item) && names.every((name) => isText(item[name])));
}

function broken(path: string, reason: string): ReceiptVerdict {
  return { verdict: 'broken', path, reason };
}
