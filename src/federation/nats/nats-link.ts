import { readFileSync } from 'node:fs';
import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ObjectStore, Objm } from '@nats-io/obj';
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  nkeyAuthenticator,
} from '@nats-io/transport-node';
import { OUTBOX_KEPT_MS } from '../../domain/federation/federation-limits.ts';
import { TransportFault } from '../transport.ts';
import type { NatsNames } from './frame-message.ts';
import { inboxOf } from './server-permissions.ts';

export interface NatsSettings {
  readonly url: string;
  /** A file with the credentials of this node. */
  readonly creds: string | null;
  readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | null;
  readonly node: string;
  readonly names: NatsNames;
  /** Copies of each stream and bucket that the broker keeps. */
  readonly replicas: number;
}

/** Everything that an open connection is used with. */
export interface NatsLink {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly control: KV;
  readonly blobs: ObjectStore;
}

const API_TIMEOUT_MS = 5_000;
const RECONNECT_MS = 250;
const PING_MS = 5_000;
const PINGS_OUT_MAX = 2;
/** The broker recognizes repeated frames for this long; the ledger of the reader does so always. */
const DUPLICATE_WINDOW_MS = 120_000;
const NANOSECONDS = 1_000_000;

/** Connects, and keeps trying until it is told to stop. */
export async function openNats({ url, creds, tls, node }: NatsSettings): Promise<NatsConnection> {
  const options: NodeConnectionOptions = {
    servers: url.split(',').map((server) => server.trim()),
    name: `baton ${node}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: PINGS_OUT_MAX,
    timeout: API_TIMEOUT_MS,
    ignoreClusterUpdates: false,
    // Each publication would take a stack trace for an error that it hardly ever has.
    noAsyncTraces: true,
    inboxPrefix: inboxOf(node),
    ...(creds !== null && { authenticator: authenticatorOf(creds) }),
    ...(tls !== null && { tls }),
  };
  return await connect(options);
}

const USER_SEED = /^SU[A-Z2-7]{56}$/m;

/** A file with the seed of an nkey, or a credentials file with a JWT, as nsc writes it. */
function authenticatorOf(file: string): Authenticator {
  const bytes = readFileSync(file);
  const text = bytes.toString('utf8');
  if (text.includes('BEGIN NATS USER JWT')) return credsAuthenticator(bytes);
  const [seed] = USER_SEED.exec(text) ?? [];
  if (seed !== undefined) return nkeyAuthenticator(Buffer.from(seed));
  throw new TransportFault('connect', `${file} has neither the seed of a user (SU…) nor a JWT of NATS`, {
    retryable: false,
  });
}

/** Opens what the connection is used with; creates the control plane and the store of blobs where they are missing. */
export async function linkOf(connection: NatsConnection, { names, replicas }: NatsSettings): Promise<NatsLink> {
  const options = { timeout: API_TIMEOUT_MS };
  const jsm = await jetstreamManager(connection, options);
  const js = jetstream(connection, options);
  const control = await openControl(js, names.control, replicas);
  const blobs = await openBlobs(js, names.blobs, replicas);
  return { connection, js, jsm, control, blobs };
}

async function openControl(js: JetStreamClient, name: string, replicas: number): Promise<KV> {
  const kvm = new Kvm(js);
  try {
    // Reads of a follower may be old; a decision about an owner needs those of the leader.
    return await kvm.create(name, { history: 1, replicas, allow_direct: false });
  } catch (error) {
    return await kvm.open(name, { allow_direct: false }).catch(() => refuse('control plane', name, error));
  }
}

async function openBlobs(js: JetStreamClient, name: string, replicas: number): Promise<ObjectStore> {
  const objm = new Objm(js);
  try {
    return await objm.create(name, { replicas, ttl: OUTBOX_KEPT_MS * NANOSECONDS });
  } catch (error) {
    return await objm.open(name).catch(() => refuse('store of blobs', name, error));
  }
}

function refuse(what: string, name: string, error: unknown): never {
  throw new TransportFault('open', `the ${what} ${name} cannot be opened: ${(error as Error).message}`, {
    cause: error,
  });
}

export function outboxConfig(
  names: NatsNames,
  node: string,
  replicas: number,
): Partial<StreamConfig> & { name: string } {
  return {
    name: names.stream(node),
    subjects: [names.outbox(node)],
    num_replicas: replicas,
    duplicate_window: DUPLICATE_WINDOW_MS * NANOSECONDS,
    max_age: 2 * OUTBOX_KEPT_MS * NANOSECONDS,
    allow_direct: true,
  };
}

/** The stream of an outbox; null if there is none. */
export async function streamInfo({ jsm }: NatsLink, stream: string): Promise<StreamInfo | null> {
  try {
    return await jsm.streams.info(stream);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const STREAM_NOT_FOUND = 10_059;
const MESSAGE_NOT_FOUND = 10_037;

export function isMissing(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === STREAM_NOT_FOUND || code === MESSAGE_NOT_FOUND;
}
