import { createPublicKey, verify } from 'node:crypto';
import { canonicalJson } from '../../domain/words/canonical-json.ts';
import {
  boundedText,
  fittingItems,
  integer,
  Misfit,
  object,
  orElse,
  readShape,
  word,
} from '../../domain/words/shape.ts';
import type { NodeKey } from '../../platform/node-key.ts';
import { isNodeName, readRecord } from '../records.ts';

/** An agent as its node presents it to others. No word of a task is in it. */
export interface PresentedAgent {
  readonly name: string;
  readonly role: string;
  readonly provider: string;
  readonly model: string;
  /** Tasks that it runs or that wait for it, and tasks that it may run at once. */
  readonly load: number;
  readonly slots: number;
}

/** The keys of a node, signed with the first of them: nobody else can present others for its name. */
export interface NodeKeys {
  /** Ed25519, base64url */
  readonly publicKey: string;
  /** X25519, base64url */
  readonly exchangeKey: string;
  readonly signature: string;
}

/** The record `nodes.<nodeId>` of the control plane. */
export interface NodeRecord {
  readonly nodeId: string;
  readonly status: 'active' | 'left' | 'dead';
  /** Names one process: a second one under the same name differs in it. */
  readonly instance: string;
  readonly keys: NodeKeys;
  readonly epoch: string;
  /** The end of its outbox. */
  readonly seq: number;
  readonly heartbeatAt: string;
  readonly startedAt: string;
  readonly version: string;
  /** More tasks of other nodes that it accepts. */
  readonly room: number;
  readonly agents: readonly PresentedAgent[];
  /** Skills that resolve on it. */
  readonly skills: readonly { readonly name: string; readonly version: string }[];
}

export function nodeKeysOf(nodeId: string, key: NodeKey): NodeKeys {
  const publicKey = Buffer.from(key.publicKey).toString('base64url');
  const { x: exchangeKey = '' } = createPublicKey(key.exchangeKey()).export({ format: 'jwk' });
  const signature = Buffer.from(key.sign(signedBytes(nodeId, { publicKey, exchangeKey }))).toString('base64url');
  return { publicKey, exchangeKey, signature };
}

function signedBytes(nodeId: string, { publicKey, exchangeKey }: Omit<NodeKeys, 'signature'>): Buffer {
  const answer = canonicalJson({ purpose: 'baton node keys 1', nodeId, publicKey, exchangeKey });
  return Buffer.from(answer.kind === 'text' ? answer.text : '', 'utf8');
}

/** Whether the keys of a record are signed by their own owner. */
export function areOwnKeys(nodeId: string, keys: NodeKeys): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: keys.publicKey }, format: 'jwk' });
    createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: keys.exchangeKey }, format: 'jwk' });
    return verify(null, signedBytes(nodeId, keys), key, Buffer.from(keys.signature, 'base64url'));
  } catch {
    // No keys at all.
    return false;
  }
}

const short = boundedText(1_000);
const shortOrEmpty = orElse(short, '');
const countOrZero = orElse(integer(0), 0);
const items = 10_000;

const agent = object<PresentedAgent>({
  name: boundedText(1_000, /./s),
  role: shortOrEmpty,
  provider: shortOrEmpty,
  model: shortOrEmpty,
  load: countOrZero,
  slots: countOrZero,
});

const nodeRecord = object<NodeRecord>({
  nodeId: nodeName,
  status: word(['active', 'left', 'dead']),
  instance: short,
  keys: object<NodeKeys>({ publicKey: short, exchangeKey: short, signature: short }),
  epoch: short,
  seq: countOrZero,
  heartbeatAt: shortOrEmpty,
  startedAt: shortOrEmpty,
  version: shortOrEmpty,
  room: countOrZero,
  agents: fittingItems(agent, items),
  skills: fittingItems(object<NodeRecord['skills'][number]>({ name: short, version: short }), items),
});

function nodeName(value: unknown, path: string): string {
  const name = short(value, path);
  if (!isNodeName(name)) throw new Misfit(path, 'is no name of a node');
  return name;
}

/** Reads the record of a node; null where it is none. Anybody may have written it, and an older Baton leaves fields out. */
export function readNodeRecord(text: string): NodeRecord | null {
  const read = readShape(nodeRecord, readRecord(text));
  return read.kind === 'read' ? read.value : null;
}
