import type { SeqRange } from '../domain/federation/advance-cursor.ts';
import { type Entry, isKey, type Transport } from './transport.ts';

// The keys of the control plane, and the records that Baton adds to those of the document.

export const KEYS = {
  node: (nodeId: string) => `nodes.${nodeId}`,
  nodes: 'nodes.',
  agent: (agentId: string) => `agents.${agentId}`,
  agents: 'agents.',
  catalog: (capabilityId: string) => `capabilities.catalog.${capabilityId}`,
  catalogs: 'capabilities.catalog.',
  index: (capabilityId: string) => `capabilities.index.${capabilityId}`,
  indexes: 'capabilities.index.',
  /** The JSON Schema of a capability's results, which `contractSchemaRef` names. */
  contract: (capabilityId: string) => `capabilities.contract.${capabilityId}`,
  /** An open review of an agent's work under a capability; `-` stands for nobody's. */
  review: (capabilityId: string, agent: string, reviewId: string) =>
    `reviews.${capabilityId}.by.${agent === '' ? '-' : agent}.${reviewId}`,
  reviewsOf: (capabilityId: string) => `reviews.${capabilityId}.by.`,
  reviews: 'reviews.',
  cursor: (reader: string, source: string) => `delivery.cursors.${reader}.${source}`,
  allCursors: 'delivery.cursors.',
  cursorsOf: (reader: string) => `delivery.cursors.${reader}.`,
  /** A source tells a node of its outbox: before its first frame, and of the last one. */
  route: (reader: string, source: string) => `delivery.routes.${reader}.${source}`,
  allRoutes: 'delivery.routes.',
  routesTo: (reader: string) => `delivery.routes.${reader}.`,
  /** The frames that a reader misses. */
  wanted: (source: string, reader: string) => `delivery.wanted.${source}.${reader}`,
  wantedFrom: (source: string) => `delivery.wanted.${source}.`,
} as const;

/** Node names are parts of keys and subjects. */
export function isNodeName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && isKey(name);
}

/** Frames of a source that a reader asks for. */
export interface WantedFrames extends SeqRange {
  readonly epoch: string;
}

/** The end of an outbox, as its source tells one of its readers. */
export interface OutboxNotice {
  readonly epoch: string;
  /** The last event of the outbox, and the last that is for the reader; 0 for none. */
  readonly seq: number;
  readonly frame: number;
}

export function readNotice({ value }: Pick<Entry, 'value'>): OutboxNotice | null {
  const { epoch, seq, frame } = readRecord(value);
  return typeof epoch === 'string' && isSeq(seq) && isSeq(frame) && frame <= seq ? { epoch, seq, frame } : null;
}

export function readWanted({ value }: Entry): WantedFrames | null {
  const record = readRecord(value);
  const { epoch, first, last } = record;
  if (typeof epoch !== 'string' || !isSeq(first) || !isSeq(last)) return null;
  return { epoch, first, last };
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A record of the control plane as an object. Anybody may have written it: what is no object reads as an empty one. */
export function readRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    // No JSON.
    return {};
  }
}

const TRIES_MAX = 8;

/** Writes a record that only this node writes, whatever revision it has; false if others keep writing it. */
export async function writeOwn(transport: Transport, key: string, value: string): Promise<boolean> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const found = await transport.get(key);
    if (found?.value === value) return true;
    if ((await transport.put(key, value, found?.revision ?? 0)) !== null) return true;
  }
  return false;
}
