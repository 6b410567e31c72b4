import { NOTICED_EVENTS, type Notice, noticeOf, standingEvents } from '../domain/notice/notice.ts';
import {
  addNotices,
  type NoticePlace,
  nextNotice,
  noteFailed,
  noteTold,
  type PlaceAfter,
} from '../domain/notice/plan-notices.ts';
import { NOTICES_AT_END_MS_MAX, NOTICES_TICK_MS } from '../domain/session/session-limits.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { lastSeq, selectEventsOfTypes } from '../ledger/statements/events.ts';
import { selectSession } from '../ledger/statements/sessions.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { NoticeRule } from '../orders/run-settings.ts';
import type { Clock } from '../platform/clock.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { Loop } from '../platform/loop.ts';
import { type Timer, waitAtMost } from '../platform/timer.ts';
import { keyOfRule, type NoticeDelivery, nameOfRule } from './deliver-notice.ts';
import { keepNoticePlace, readNoticePlace } from './keep-notice-place.ts';

interface NotifierParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
  rules(): readonly NoticeRule[];
  /** Resolves with how it went; never rejects for a place that cannot be reached. */
  deliver(rule: NoticeRule, notice: Notice, signal: AbortSignal): Promise<NoticeDelivery>;
}

/**
 * Tells people what happened, by the rules of the configuration. The log of events is the outbox: each place has a position in
 * it and the notices that wait, as a row of the ledger. Deliveries run beside everything else: a place that never answers
 * holds nothing up.
 */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #loop: Loop;
  readonly #stop = new AbortController();
  /** The places that a notice is on its way to, and its id. */
  readonly #sending = new Map<string, { readonly id: string; readonly ended: Promise<void> }>();

  constructor(parts: NotifierParts) {
    this.#parts = parts;
    const { timer, log } = parts;
    const onFault = (error: unknown) => log.log('notices.failed', faultFacts(error));
    this.#loop = new Loop({ timer, everyMs: NOTICES_TICK_MS, tick: () => this.tick(), onFault });
  }

  /** A place that is new hears of what happens from now on. */
  async start(): Promise<void> {
    await this.tick();
    this.#loop.start();
  }

  async tick(): Promise<void> {
    for (const rule of this.#parts.rules()) await this.#serve(rule);
  }

  /** News of the last moments still go out, for a few seconds; the next node delivers the rest. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    const { log } = this.#parts;
    await this.tick().catch((error: unknown) => log.log('notices.failed', faultFacts(error)));
    const ended = Promise.all([...this.#sending.values()].map((each) => each.ended));
    await waitAtMost(ended, NOTICES_AT_END_MS_MAX);
    this.#stop.abort();
    await waitAtMost(ended, NOTICES_TICK_MS);
  }

  async #serve(rule: NoticeRule): Promise<void> {
    const key = keyOfRule(rule);
    const place = await this.#withNews(rule, key);
    const notice = this.#sending.has(key) ? null : nextNotice(place, this.#now());
    if (notice === null || this.#stop.signal.aborted) return;
    const ended = this.#send(rule, notice).finally(() => this.#sending.delete(key));
    this.#sending.set(key, { id: notice.id, ended });
  }

  async #withNews(rule: NoticeRule, key: string): Promise<NoticePlace> {
    const { read } = this.#parts.ledger;
    const known = readNoticePlace(read, key);
    const seq = lastSeq(read);
    if (known?.seq === seq) return known;
    if (known === null) return await this.#keep(rule, { place: { seq, waiting: [], toldAt: {} }, lost: [] });
    const events = standingEvents(selectEventsOfTypes(read, NOTICED_EVENTS, { after: known.seq, upTo: seq }));
    const found = events.flatMap((event) => noticeOf(event, () => this.#nameOf(event.taskId, event.sessionId)) ?? []);
    const notices = found.filter(({ kinds }) => kinds.some((kind) => rule.on.includes(kind)));
    // Events that are no news need no write: they are looked at again by a later node at most.
    if (notices.length === 0 && seq - known.seq < EVENTS_UNKEPT_MAX) return known;
    return await this.#keep(rule, addNotices(known, { notices, seq, sending: this.#sending.get(key)?.id ?? null }));
  }

  #nameOf(taskId: Notice['task'], sessionId: string | null): string {
    const { read } = this.#parts.ledger;
    if (taskId !== null) return selectTask(read, taskId as Parameters<typeof selectTask>[1])?.title ?? '';
    return sessionId === null ? '' : (selectSession(read, sessionId)?.name ?? '');
  }

  async #send(rule: NoticeRule, notice: Notice): Promise<void> {
    const { deliver, log, ledger } = this.#parts;
    try {
      const delivery = await deliver(rule, notice, this.#stop.signal);
      const place = readNoticePlace(ledger.read, keyOfRule(rule));
      if (place === null || (delivery.kind === 'failed' && this.#stop.signal.aborted)) return;
      const nowMs = this.#now();
      if (delivery.kind === 'told') return void (await this.#keep(rule, noteTold(place, notice, nowMs), true));
      log.log('notice.failed', { place: nameOfRule(rule), notice: notice.id, error: delivery.error });
      await this.#keep(rule, noteFailed(place, notice, { ...delivery, nowMs }));
    } catch (error) {
      log.log('notices.failed', faultFacts(error));
    }
  }

  async #keep(rule: NoticeRule, { place, lost }: PlaceAfter, isReached = false): Promise<NoticePlace> {
    const kept = { key: keyOfRule(rule), name: nameOfRule(rule), place, lost, isReached };
    await this.#parts.ledger.submit(keepNoticePlace, kept);
    return place;
  }

  #now(): number {
    return this.#parts.clock.now().wallMs;
  }
}

const EVENTS_UNKEPT_MAX = 1_000;
