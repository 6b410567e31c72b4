import { type Signal, signal } from '@preact/signals';
import type { EventView } from '../../../src/api/contract.ts';
import { call } from '../../node/call-node.ts';
import { onBack, onEvents } from '../../node/live-events.ts';

interface Wanted {
  readonly task: string;
  readonly run: string;
  readonly session: string;
  readonly type: string;
}

const PAGE = 500;
/** Events that are kept while new ones come, as many as a page lays out within a frame; earlier ones are read on demand. */
const KEPT_MAX = 2_000;

/** The events that fit, from the end on. */
export class EventLog {
  readonly events: Signal<readonly EventView[] | null> = signal(null);
  readonly error: Signal<unknown> = signal(null);
  readonly hasEarlier = signal(false);
  /** New ones that wait while the list is held. */
  readonly held = signal(0);
  readonly #wanted: Wanted;
  #isHeld = false;
  #waiting: EventView[] = [];
  #early: EventView[] = [];
  /** The name that the words for a task mean. */
  #taskId: string | null = null;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  /** Events that come while the page is read count too. */
  async begin(): Promise<void> {
    this.#early = [];
    try {
      const events = await this.#page({});
      this.#taskId = this.#wanted.task === '' ? null : (events.at(-1)?.taskId ?? '');
      this.hasEarlier.value = events.length === PAGE;
      this.events.value = events;
      this.#append(this.#early.filter((event) => this.#fits(event)));
      this.error.value = null;
    } catch (error) {
      this.error.value = error;
    }
  }

  async earlier(): Promise<void> {
    const shown = this.events.value ?? [];
    const first = shown[0]?.eventId;
    if (first === undefined) return;
    const events = await this.#page({ before: first });
    this.hasEarlier.value = events.length === PAGE;
    this.events.value = [...events, ...shown];
  }

  follow(): () => void {
    const stopBack = onBack(() => this.error.value !== null && void this.begin());
    const stopEvents = onEvents((events) => this.#take(events));
    return () => {
      stopBack();
      stopEvents();
    };
  }

  #take(events: readonly EventView[]): void {
    if (this.events.value === null) this.#early.push(...events);
    else {
      const own = events.filter((event) => this.#fits(event));
      if (own.length === 0) return;
      if (this.#isHeld) {
        this.#waiting.push(...own);
        this.held.value = this.#waiting.length;
      } else this.#append(own);
    }
  }

  setHeld(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (isHeld || this.#waiting.length === 0) return;
    this.#append(this.#waiting);
    this.#waiting = [];
    this.held.value = 0;
  }

  #append(events: readonly EventView[]): void {
    const shown = this.events.value ?? [];
    const last = shown.at(-1)?.eventId ?? 0;
    const all = [...shown, ...events.filter(({ eventId }) => eventId > last)];
    if (all.length > KEPT_MAX) this.hasEarlier.value = true;
    this.events.value = all.slice(-KEPT_MAX);
  }

  #fits({ taskId, runId, sessionId, type }: EventView): boolean {
    const { run, session, type: types } = this.#wanted;
    if (this.#taskId !== null && taskId !== this.#taskId) return false;
    if (run !== '' && runId !== run) return false;
    if (session !== '' && sessionId !== session) return false;
    return types === '' || types.split(',').some((each) => fitsType(type, each));
  }

  async #page(place: Readonly<Record<string, number>>): Promise<readonly EventView[]> {
    const request = { ...this.#wanted, order: 'newest', limit: PAGE, ...place } as const;
    return (await call('listEvents', request)).events.toReversed();
  }
}

function fitsType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}
