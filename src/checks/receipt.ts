import { createHash, createPublicKey, verify } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { MadeCheck } from '../domain/execution/check-result.ts';
import type { ExecutedByGit, OldTests, SandboxName } from '../domain/execution/findings.ts';
import type { NetworkLevel } from '../domain/order/access.ts';
import type { Signal } from '../domain/order/record-words.ts';
import type { Report } from '../domain/order/report.ts';
import { canonicalJson } from '../domain/words/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../domain/words/json-object.ts';
import type { GitChange } from '../domain/work/git-state.ts';
import type { IgnoredChange } from '../domain/work/ignored-files.ts';
import { writeDurably } from '../platform/files/durable-files.ts';
import { makeFoldersIn } from '../platform/files/make-folders.ts';
import type { NodeKey } from '../platform/node-key.ts';

const RECEIPT_VERSION = 1;

/** A file as it was when the checks were made. */
export interface CheckedFile {
  /** Relative to the workspace, or absolute where it lies outside of it. */
  readonly path: string;
  readonly size: number;
  /** Whole milliseconds. */
  readonly mtimeMs: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** The findings of Baton about a run. */
export interface ReceiptFacts {
  /** TASK-… */
  readonly task: string;
  readonly run: string;
  /** Names the parcel that the work of another node came in; absent for work of this node. */
  readonly parcel?: string;
  readonly agent: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly workspace: string;
  /** Shadow commits; null without git. */
  readonly commitBefore: string | null;
  readonly commitAfter: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly sandbox: SandboxName;
  readonly network: NetworkLevel;
  readonly checksBefore: readonly MadeCheck[];
  readonly checksAfter: readonly MadeCheck[];
  /** The checks with the earlier versions of files that judge the work; absent if the work changed none. */
  readonly oldTests?: OldTests;
  readonly files: readonly CheckedFile[];
  /** Files beyond the most that are kept. */
  readonly filesLeftOut: number;
  /** Came or changed during the run, and git executes or obeys it; receipts of older versions have neither field. */
  readonly executedByGit?: readonly ExecutedByGit[];
  readonly notLookedAt?: readonly string[];
  /** Changes by the work of branches, tags, HEAD, index and stash; absent in receipts of older versions. */
  readonly gitChanges?: readonly GitChange[];
  /** Ignored files that the work changed, by name alone. */
  readonly ignoredChanges?: readonly IgnoredChange[];
  readonly cost: {
    readonly usd: number;
    readonly tokens: number;
    /** How finely the agent reports it: never, once at its end, or as it goes. */
    readonly reported: 'never' | 'at-end' | 'as-it-goes';
  };
  readonly verdict: { readonly signal: Signal; readonly isChecked: boolean; readonly message: string };
  /** The agent's own report, which proves nothing. */
  readonly claim: { readonly signal: Signal | null; readonly message: string } | null;
  /** The agent's completion report, beside the verdict; absent in receipts of older versions. */
  readonly agentReport?: Report['agentReport'];
  readonly batonVersion: string;
}

/** The facts, who signs them, and the signature over all but itself. */
export interface Receipt extends ReceiptFacts {
  readonly version: typeof RECEIPT_VERSION;
  readonly isSandboxed: boolean;
  readonly signer: {
    readonly algorithm: 'Ed25519';
    /** base64url of 32 bytes. */
    readonly publicKey: string;
    /** SHA-256 of these bytes, in hexadecimal. */
    readonly keyId: string;
  };
  /** base64url of 64 bytes. */
  readonly signature: string;
}

/** The receipt of a task's latest run. */
export function receiptFile(dataFolder: string, task: string): string {
  return join(dataFolder, 'runs', task, 'receipt.json');
}

/** Synced, unlike the tree around it: a receipt is proof, and the ledger cannot write it again. */
export async function writeReceipt(dataFolder: string, task: string, text: string): Promise<string> {
  const file = receiptFile(dataFolder, task);
  makeFoldersIn(dataFolder, dirname(file));
  await writeDurably(file, text);
  return file;
}

/** With more decimals two texts could mean the same number, and a change of one would go unnoticed. */
const USD_DECIMALS = 6;

/** Signs a receipt. Its text is canonical (RFC 8785), so that a change of any byte is noticed. */
export function signReceipt(facts: ReceiptFacts, key: NodeKey): string {
  const signed = wellFormed({
    ...facts,
    cost: { ...facts.cost, usd: Number(facts.cost.usd.toFixed(USD_DECIMALS)), tokens: Math.round(facts.cost.tokens) },
    version: RECEIPT_VERSION,
    isSandboxed: facts.sandbox !== 'none',
    signer: {
      algorithm: 'Ed25519',
      publicKey: Buffer.from(key.publicKey).toString('base64url'),
      keyId: key.keyId,
    },
  } satisfies Omit<Receipt, 'signature'>);
  const signature = Buffer.from(key.sign(Buffer.from(textOf(signed), 'utf8'))).toString('base64url');
  return textOf({ ...(signed as object), signature });
}

function textOf(value: unknown): string {
  const answer = canonicalJson(value);
  if (answer.kind === 'none') throw new Error(`a receipt has no canonical text at ${answer.path}: ${answer.reason}`);
  return answer.text;
}

/** Output of an agent may hold half a surrogate pair, which has no canonical text. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}

export type ReceiptVerdict =
  | { readonly verdict: 'valid'; readonly receipt: Receipt }
  /** `path` is a JSON Pointer to what is wrong; empty for the whole. */
  | { readonly verdict: 'broken'; readonly path: string; readonly reason: string };

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Reads JSON strictly: a repeated key would hide content from the signature. */
export type ReadJson = (
  text: string,
) =>
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly path: string; readonly reason: string };

/** Verifies a receipt by its text alone, which carries the key; the id of the key tells a reader whose it is. */
export function verifyReceipt(given: string | Uint8Array, readJson: ReadJson): ReceiptVerdict {
  const text = typeof given === 'string' ? given.replace(/^\ufeff/, '') : decoded(given);
  if (text === null) return broken('', 'the receipt is not UTF-8');
  const reading = readJson(text);
  if (reading.kind === 'broken') return broken(reading.path, reading.reason);
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

/** Null unless the text is the canonical base64url of so many bytes. */
function bytesOf(text: string, length: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : null;
}

/** Fields that readers of a receipt rely on; the signature covers the rest. */
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
