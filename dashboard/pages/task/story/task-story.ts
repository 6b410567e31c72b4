import { type Signal, signal } from '@preact/signals';
import type { RequestOf } from '../../../../src/api/node-client.ts';
import type { StoryItem, StoryPage } from '../../../../src/api/trace/story-contract.ts';
import { call } from '../../../node/call-node.ts';
import { onBack, onEvents } from '../../../node/live-events.ts';

type Stop = () => void;

/** A part of a task's story without a hole. */
export interface Part {
  readonly items: readonly StoryItem[];
  /** There are earlier, or later, events that are not read. */
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/**
 * The story of one task, as the node makes it. It begins at the end and follows what happens; earlier parts are read on demand.
 * It can also begin at the start, or at an event, and walk on from there.
 */
export class TaskStory {
  readonly part: Signal<Part | null> = signal(null);
  readonly error: Signal<unknown> = signal(null);
  readonly #task: string;
  #items = new Map<number, StoryItem>();
  /** The events that are read: from the first to the last. */
  #first = 0;
  #last = 0;
  #hasEarlier = false;
  #hasLater = false;
  #isReading = false;
  /** Something happened since the part that is being read. */
  #isBehind = false;

  constructor(task: string) {
    this.#task = task;
  }

  /** Adds what happens from now on; returns a function that ends it. */
  follow(): Stop {
    const stopBack = onBack(() => this.error.value !== null && void this.fromEnd());
    const stopEvents = onEvents((events) => {
      const own = events.filter(({ taskId }) => taskId === this.#task);
      // A rewind changes turns of long ago.
      if (own.some(({ type }) => type === 'task.rewound') && !this.#hasLater) void this.fromEnd();
      else if (own.length > 0) void this.#catchUp();
    });
    return () => {
      stopBack();
      stopEvents();
    };
  }

  fromEnd(): Promise<void> {
    return this.#reading(async () => {
      const page = await this.#page({ order: 'newest' });
      this.#begin(page, { hasEarlier: page.hasMore, hasLater: false });
    });
  }

  /** From this event on; 0 is the start. */
  from(eventId: number): Promise<void> {
    return this.#reading(async () => {
      const page = await this.#page({ after: Math.max(0, eventId - 1) });
      this.#begin(page, { hasEarlier: eventId > 1, hasLater: page.hasMore });
    });
  }

  earlier(): Promise<void> {
    return this.#reading(async () => {
      const page = await this.#page({ order: 'newest', before: this.#first });
      this.#hasEarlier = page.hasMore;
      this.#add(page);
    });
  }

  later(): Promise<void> {
    return this.#reading(async () => {
      const page = await this.#page({ after: this.#last });
      this.#hasLater = page.hasMore;
      this.#add(page);
    });
  }

  /** Whether an event is in the part that is read. */
  has(eventId: number): boolean {
    return this.#first > 0 && this.#first <= eventId;
  }

  #page(place: Omit<RequestOf<'readStory'>, 'task'>): Promise<StoryPage> {
    return call('readStory', { task: this.#task, ...place });
  }

  #begin(page: StoryPage, { hasEarlier, hasLater }: Omit<Part, 'items'>): void {
    this.#items = new Map();
    this.#first = 0;
    this.#last = 0;
    this.#hasEarlier = hasEarlier;
    this.#hasLater = hasLater;
    this.#add(page);
  }

  /** Parts may have the same item: the copy that was changed last counts. */
  #add({ items, first, last }: StoryPage): void {
    for (const item of items)
      if (item.changed >= (this.#items.get(item.id)?.changed ?? 0)) this.#items.set(item.id, item);
    if (first !== null) this.#first = Math.min(first, this.#first || first);
    this.#last = Math.max(this.#last, last ?? 0);
    this.part.value = {
      items: [...this.#items.values()].sort((one, other) => one.id - other.id),
      hasEarlier: this.#hasEarlier,
      hasLater: this.#hasLater,
    };
  }

  /** Reads what happened since, unless somebody walks through an earlier part. */
  async #catchUp(): Promise<void> {
    this.#isBehind = true;
    if (this.#hasLater || this.part.value === null) return;
    await this.#reading(async () => {
      for (let hasMore = true; hasMore; ) {
        const page = await this.#page({ after: this.#last });
        this.#add(page);
        hasMore = page.hasMore;
      }
    });
  }

  async #reading(work: () => Promise<void>): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#isBehind = false;
    try {
      await work();
      this.error.value = null;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.#isReading = false;
    }
    if (this.#isBehind && this.error.value === null) await this.#catchUp();
  }
}
