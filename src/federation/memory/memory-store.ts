import type { Arrival, End, Entry, Frame, Head } from '../transport.ts';

interface StoredRecord {
  readonly value: string;
  readonly revision: number;
  /** Milliseconds of the store's clock. */
  readonly at: number;
}

interface Outbox {
  head: Head | null;
  readonly known: Set<string>;
  /** By destination, in the order in which they were added. */
  readonly frames: Map<string, Frame[]>;
}

interface Watch {
  readonly node: string;
  changed(key: string): void;
}

/** A copy of everything that a store has. */
export interface StoreCopy {
  readonly outboxes: ReadonlyMap<string, Outbox>;
  readonly records: ReadonlyMap<string, StoredRecord>;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** The store of a simulated federation: it can be cut off from nodes, emptied, and put back to an earlier state. */
export class MemoryStore {
  readonly #clock: () => number;
  #outboxes = new Map<string, Outbox>();
  #records = new Map<string, StoredRecord>();
  /** The keys of records, by each prefix that ends with a dot: a fleet has a hundred thousand of them. */
  #keysBelow = new Map<string, Set<string>>();
  #blobs = new Map<string, Uint8Array>();
  #revision = 0;
  /** Positions of another generation are not positions in this one. */
  #generation = 1;
  readonly #cut = new Set<string>();
  /** Called with the source of new frames, by the node that they are for. */
  readonly #readers = new Map<string, Set<(source: string) => void>>();
  /** By the prefix that they watch. */
  readonly #watches = new Map<string, Set<Watch>>();
  readonly #returned = new Map<string, Set<() => void>>();
  /** Calls so far, for the cost of a fleet. */
  readonly calls = { append: 0, frames: 0, get: 0, list: 0, put: 0, take: 0 };

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  isCut(node: string): boolean {
    return this.#cut.has(node);
  }

  /** The node reaches the store no longer. */
  cut(node: string): void {
    this.#cut.add(node);
  }

  heal(node: string): void {
    if (!this.#cut.delete(node)) return;
    for (const call of this.#returned.get(node) ?? []) call();
  }

  /** Everything is gone, as after the loss of a disk; nodes reconnect to an empty store. */
  wipe(): void {
    this.restore({ outboxes: new Map(), records: new Map(), blobs: new Map() });
  }

  copy(): StoreCopy {
    return { outboxes: copyOutboxes(this.#outboxes), records: new Map(this.#records), blobs: new Map(this.#blobs) };
  }

  restore({ outboxes, records, blobs }: StoreCopy): void {
    this.#outboxes = copyOutboxes(outboxes);
    this.#records = new Map(records);
    this.#keysBelow = new Map();
    for (const key of records.keys()) this.#index(key);
    this.#blobs = new Map(blobs);
    this.#generation++;
    for (const [node, calls] of this.#returned) if (!this.#cut.has(node)) for (const call of calls) call();
  }

  /** Loses single frames, as a purge of the broker would. */
  lose(isLost: (frame: Frame) => boolean): void {
    for (const { frames, known } of this.#outboxes.values()) {
      for (const [dest, list] of frames) {
        for (const frame of list.filter(isLost)) known.delete(nameOf(frame));
        frames.set(
          dest,
          list.filter((frame) => !isLost(frame)),
        );
      }
    }
    this.#generation++;
  }

  /** Calls the listener with the source of each new frame for the node. */
  onFrames(node: string, listener: (source: string) => void): End {
    return addTo(this.#readers, node, listener);
  }

  /** Calls back for each changed record below the prefix, while the node reaches the store. */
  watch(node: string, prefix: string, changed: (key: string) => void): End {
    return addTo(this.#watches, prefix, { node, changed });
  }

  onReturn(node: string, listener: () => void): End {
    return addTo(this.#returned, node, listener);
  }

  append(frames: readonly Frame[], isAgain = false): void {
    this.calls.append++;
    const changed = new Map<string, string>();
    for (const frame of frames) {
      const { source, dest, epoch, seq } = frame;
      const outbox = this.#outboxOf(source);
      if (!isAgain && outbox.known.has(nameOf(frame))) continue;
      this.calls.frames++;
      outbox.known.add(nameOf(frame));
      const list = outbox.frames.get(dest);
      if (list) list.push(frame);
      else outbox.frames.set(dest, [frame]);
      outbox.head = laterOf(outbox.head, { epoch, seq });
      changed.set(dest, source);
    }
    for (const [dest, source] of changed) {
      if (!this.#cut.has(dest)) for (const listener of this.#readers.get(dest) ?? []) listener(source);
    }
  }

  head(source: string): Head | null {
    return this.#outboxes.get(source)?.head ?? null;
  }

  trim(source: string, { epoch, seq }: Head): void {
    const outbox = this.#outboxOf(source);
    for (const [dest, list] of outbox.frames) {
      const kept = list.filter((frame) => frame.epoch === epoch && frame.seq > seq);
      if (kept.length < list.length) outbox.frames.set(dest, kept);
    }
    this.#generation++;
  }

  /** The frames for one node after a position. */
  framesFor(source: string, dest: string, after: string | null): readonly Arrival[] {
    const [generation, index] = (after ?? '').split(':');
    const from = Number(generation) === this.#generation ? Number(index) : 0;
    const list = this.#outboxes.get(source)?.frames.get(dest) ?? [];
    return list.slice(from).map((frame, at) => ({ frame, position: `${this.#generation}:${from + at + 1}` }));
  }

  get(key: string): Entry | null {
    this.calls.get++;
    return this.#entry(key);
  }

  list(prefix: string): readonly Entry[] {
    this.calls.list++;
    return [...(this.#keysBelow.get(prefix) ?? [])].flatMap((key) => this.#entry(key) ?? []);
  }

  put(key: string, value: string, revision: number): number | null {
    this.calls.put++;
    if ((this.#records.get(key)?.revision ?? 0) !== revision) return null;
    this.#revision++;
    this.#records.set(key, { value, revision: this.#revision, at: this.#clock() });
    this.#index(key);
    this.#tell(key);
    return this.#revision;
  }

  remove(key: string, revision: number): boolean {
    if (this.#records.get(key)?.revision !== revision) return false;
    this.#records.delete(key);
    for (const prefix of prefixesOf(key)) this.#keysBelow.get(prefix)?.delete(key);
    this.#tell(key);
    return true;
  }

  get blobs(): Map<string, Uint8Array> {
    return this.#blobs;
  }

  #entry(key: string): Entry | null {
    const stored = this.#records.get(key);
    return stored ? { key, value: stored.value, revision: stored.revision, ageMs: this.#clock() - stored.at } : null;
  }

  #outboxOf(source: string): Outbox {
    const found = this.#outboxes.get(source);
    if (found) return found;
    const made: Outbox = { head: null, known: new Set(), frames: new Map() };
    this.#outboxes.set(source, made);
    return made;
  }

  #index(key: string): void {
    for (const prefix of prefixesOf(key)) addTo(this.#keysBelow, prefix, key);
  }

  #tell(key: string): void {
    for (const prefix of prefixesOf(key)) {
      for (const { node, changed } of this.#watches.get(prefix) ?? []) if (!this.#cut.has(node)) changed(key);
    }
  }
}

/** `a.` and `a.b.` of the key `a.b.c`. */
function prefixesOf(key: string): readonly string[] {
  const parts = key.split('.');
  return parts.slice(1).map((_, at) => `${parts.slice(0, at + 1).join('.')}.`);
}

function laterOf(before: Head | null, now: Head): Head {
  if (before === null || before.epoch < now.epoch) return now;
  return before.epoch === now.epoch && before.seq < now.seq ? now : before;
}

function nameOf({ epoch, seq, dest }: Frame): string {
  return `${epoch} ${seq} ${dest}`;
}

function addTo<Value>(sets: Map<string, Set<Value>>, name: string, value: Value): End {
  const own = sets.get(name) ?? new Set();
  sets.set(name, own.add(value));
  return () => own.delete(value);
}

function copyOutboxes(outboxes: ReadonlyMap<string, Outbox>): Map<string, Outbox> {
  return new Map(
    [...outboxes].map(([source, { head, known, frames }]) => [
      source,
      { head, known: new Set(known), frames: new Map([...frames].map(([dest, list]) => [dest, [...list]])) },
    ]),
  );
}
