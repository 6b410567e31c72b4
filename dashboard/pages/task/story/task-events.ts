import { type Signal, signal } from '@preact/signals';
import type { EventView } from '../../../../src/api/contract.ts';
import type { RequestOf } from '../../../../src/api/node-client.ts';
import { call } from '../../../node/call-node.ts';
import { onBack, onEvents } from '../../../node/live-events.ts';
import { StoryBuilder } from './build-story.ts';
import type { StoryItem } from './story-item.ts';

type Stop = () => void;

const PAGE = 1_000;

/** A part of a task's events without a hole, and the story that it tells. */
export interface Part {
  readonly items: readonly StoryItem[];
  readonly events: number;
  /** There are earlier, or later, events that are not read. */
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

/**
 * The events of one task. It begins at the end and follows what happens; earlier pages are read on demand. It can also begin
 * at the start, or at an event, and walk on from there.
 */
export class TaskEvents {
  readonly part: Signal<Part | null> = signal(null);
  readonly error: Signal<unknown> = signal(null);
  readonly #task: string;
  #events: EventView[] = [];
  #builder = new StoryBuilder();
  #hasEarlier = false;
  #hasLater = false;
  #isReading = false;
  /** Events that came while a page was read, which may lack them. */
  #meanwhile: EventView[] = [];

  constructor(task: string) {
    this.#task = task;
  }

  /** Adds what happens from now on; returns a function that ends it. */
  follow(): Stop {
    const stopBack = onBack(() => this.error.value !== null && void this.fromEnd());
    const stopEvents = onEvents((events) => {
      const own = events.filter(({ taskId }) => taskId === this.#task);
      if (own.length === 0) return;
      if (this.#isReading) this.#meanwhile.push(...own);
      if (this.#hasLater || this.part.value === null) return;
      this.#append(own);
      this.#show();
    });
    return () => {
      stopBack();
      stopEvents();
    };
  }

  fromEnd(): Promise<void> {
    return this.#reading(async () => {
      const events = (await this.#page({ order: 'newest' })).toReversed();
      this.#replace(events, { hasEarlier: events.length === PAGE, hasLater: false });
    });
  }

  /** From this event on; 0 is the start. */
  from(eventId: number): Promise<void> {
    return this.#reading(async () => {
      const events = await this.#page({ after: Math.max(0, eventId - 1) });
      this.#replace(events, { hasEarlier: eventId > 1, hasLater: events.length === PAGE });
    });
  }

  earlier(): Promise<void> {
    return this.#reading(async () => {
      const first = this.#events[0]?.eventId;
      if (first === undefined) return;
      const events = (await this.#page({ order: 'newest', before: first })).toReversed();
      const hasEarlier = events.length === PAGE;
      this.#replace([...events, ...this.#events], { hasEarlier, hasLater: this.#hasLater });
    });
  }

  later(): Promise<void> {
    return this.#reading(async () => {
      const events = await this.#page({ after: this.#events.at(-1)?.eventId ?? 0 });
      this.#hasLater = events.length === PAGE;
      this.#append(events);
      this.#show();
    });
  }

  /** Whether an event is in the part that is read. */
  has(eventId: number): boolean {
    return (this.#events[0]?.eventId ?? Number.POSITIVE_INFINITY) <= eventId;
  }

  async #page(place: RequestOf<'listEvents'>): Promise<readonly EventView[]> {
    return (await call('listEvents', { task: this.#task, limit: PAGE, ...place })).events;
  }

  async #reading(work: () => Promise<void>): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#meanwhile = [];
    try {
      await work();
      this.error.value = null;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.#isReading = false;
    }
  }

  #replace(events: readonly EventView[], { hasEarlier, hasLater }: Pick<Part, 'hasEarlier' | 'hasLater'>): void {
    this.#events = [];
    this.#builder = new StoryBuilder();
    this.#hasEarlier = hasEarlier;
    this.#hasLater = hasLater;
    this.#append(events);
    if (!hasLater) this.#append(this.#meanwhile);
    this.#show();
  }

  #append(events: readonly EventView[]): void {
    const last = this.#events.at(-1)?.eventId ?? 0;
    for (const event of events) {
      if (event.eventId <= last) continue;
      this.#events.push(event);
      this.#builder.add(event);
    }
  }

  #show(): void {
    this.part.value = {
      items: [...this.#builder.items],
      events: this.#events.length,
      hasEarlier: this.#hasEarlier,
      hasLater: this.#hasLater,
    };
  }
}
