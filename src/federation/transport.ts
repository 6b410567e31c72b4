/** Ends something that was begun. */
export type End = () => void;

/** One event of an outbox, for one of the nodes that it is addressed to. Only `envelope` is protocol; the rest travels beside it. */
export interface Frame {
  /** The node whose outbox it is in. */
  readonly source: string;
  readonly dest: string;
  readonly epoch: string;
  readonly seq: number;
  /** The seq of the frame before it from this source to this destination in this epoch; 0 for the first. */
  readonly prev: number;
  /** The fence of each recipient that another node could take over: `emma=3,critic=1`. */
  readonly fences: string;
  /** When the event was recorded, by the clock of its source, in milliseconds since 1970. */
  readonly recordedAt: number;
  readonly seal: string;
  readonly envelope: string;
}

/** The end of an outbox. */
export interface Head {
  readonly epoch: string;
  readonly seq: number;
}

export interface Arrival {
  readonly frame: Frame;
  /** Continues a later subscription after this frame. Its form is known to the transport alone. */
  readonly position: string;
}

export interface Subscription {
  /** Resolves once every frame that the store had for this node at the time of the call has been taken. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/** A record of the control plane. */
export interface Entry {
  readonly key: string;
  readonly value: string;
  /** Grows with every change of the record. */
  readonly revision: number;
  /** The time since its last change, by the clock of the store. */
  readonly ageMs: number;
}

/**
 * The store that nodes share. It may lose anything at any time; a caller relies on the ledgers instead. Every call throws a
 * TransportFault while the store cannot be reached.
 */
export interface Transport {
  readonly name: 'nats' | 'local' | 'memory';
  readonly isConnected: boolean;
  /** The reason why the last try to connect failed; null or absent if there is none. */
  readonly problem?: string | null;
  /** Resolves when the first try to connect has ended, whether it succeeded or not. */
  readonly tried: Promise<void>;
  /** Calls the listener after each connection, the first one included: the store may have changed meanwhile. */
  onConnected(listener: () => void): void;

  /**
   * Adds frames to the own outbox, in their order. A frame that the store remembers is not added again, unless `isAgain`: a reader
   * misses it, whatever the store believes.
   */
  append(frames: readonly Frame[], how?: { readonly isAgain: boolean }): Promise<void>;
  /** The end of the own outbox in the store; null if it has none. */
  ownHead(): Promise<Head | null>;
  /** Removes frames of the own outbox: of this epoch up to the seq, and all of earlier epochs. A store may decline. */
  trim(upTo: Head): Promise<void>;
  /**
   * Passes on the frames of an outbox that are for this node, in the order of the store: all after the position, then new ones. Frames
   * may come twice. The next frames follow when the promise of `take` is fulfilled.
   */
  subscribe(
    source: string,
    after: string | null,
    take: (arrivals: readonly Arrival[]) => Promise<void>,
  ): Promise<Subscription>;

  get(key: string): Promise<Entry | null>;
  /** All records whose key begins with the prefix, which ends with a dot. */
  list(prefix: string): Promise<readonly Entry[]>;
  /** Writes a record if it still has this revision; 0 means that it must not exist. Returns its new revision, null if somebody was faster. */
  put(key: string, value: string, revision: number): Promise<number | null>;
  /** False if somebody was faster. */
  remove(key: string, revision: number): Promise<boolean>;
  /** Calls `changed` for records below the prefix that change from now on; perhaps twice, late or never. Returns a function that ends it. */
  watch(prefix: string, changed: (key: string) => void): Promise<End>;

  /** Stores bytes under their SHA-256. */
  putBlob(hash: string, bytes: Uint8Array): Promise<void>;
  /** Null if the store does not have them, or has others under this name. */
  getBlob(hash: string): Promise<Uint8Array | null>;
  hasBlob(hash: string): Promise<boolean>;
  removeBlob(hash: string): Promise<void>;

  close(): Promise<void>;
}

/** The store could not be reached, or refused a call. */
export class TransportFault extends Error {
  readonly operation: string;
  readonly retryable: boolean;

  constructor(
    operation: string,
    message: string,
    { retryable = true, cause }: { retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'TransportFault';
    this.operation = operation;
    this.retryable = retryable;
  }
}

const PART = /^[A-Za-z0-9_-]+$/;
const KEY_CHARACTERS_MAX = 256;

/** Whether every store can have a record under this key: parts of letters, digits, `_` and `-`, joined by dots. */
export function isKey(key: string): boolean {
  return key.length <= KEY_CHARACTERS_MAX && key.split('.').every((part) => PART.test(part));
}
