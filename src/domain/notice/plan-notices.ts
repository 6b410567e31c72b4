import {
  NOTICE_ATTEMPTS_MAX,
  NOTICE_RETRY_MS,
  NOTICE_RETRY_MS_MAX,
  NOTICE_TEXTS_MAX,
  NOTICES_APART_MS,
  NOTICES_WAITING_MAX,
} from '../session/session-limits.ts';
import type { Notice } from './notice.ts';

/** A notice that waits for its place. */
export interface WaitingNotice {
  readonly notice: Notice;
  /** Failed ones. */
  readonly attempts: number;
  readonly dueAt: number;
}

/** One place that notices go to. It is stored after each change, so a node that dies loses none. */
export interface NoticePlace {
  /** The number of the last event that was looked at. */
  readonly seq: number;
  /** Oldest first. */
  readonly waiting: readonly WaitingNotice[];
  /** When it was told about a subject, within the last minute. */
  readonly toldAt: Readonly<Record<string, number>>;
}

/** A notice that is given up. */
export interface LostNotice {
  readonly notice: Notice;
  readonly error: string;
}

export interface PlaceAfter {
  readonly place: NoticePlace;
  readonly lost: readonly LostNotice[];
}

/** Adds news up to an event. News about a subject whose notice waits are added to that one, unless it is on its way. */
export function addNotices(
  place: NoticePlace,
  {
    notices,
    seq,
    sending,
  }: { readonly notices: readonly Notice[]; readonly seq: number; readonly sending: string | null },
): PlaceAfter {
  const waiting = [...place.waiting];
  for (const notice of notices) {
    const at = waiting.findIndex((each) => each.notice.subject === notice.subject && each.notice.id !== sending);
    const before = waiting[at];
    if (before) waiting[at] = { ...before, notice: together(before.notice, notice) };
    else waiting.push({ notice, attempts: 0, dueAt: 0 });
  }
  const lost = waiting.splice(0, Math.max(0, waiting.length - NOTICES_WAITING_MAX));
  const error = `more than ${NOTICES_WAITING_MAX} notices wait`;
  return { place: { ...place, seq, waiting }, lost: lost.map(({ notice }) => ({ notice, error })) };
}

function together(before: Notice, after: Notice): Notice {
  const texts = [...new Set([...before.texts, ...after.texts])].slice(-NOTICE_TEXTS_MAX);
  return { ...after, id: before.id, kinds: [...new Set([...before.kinds, ...after.kinds])], texts };
}

/** The notice to deliver now: the first that is due and whose subject was not told within the last minute. */
export function nextNotice({ waiting, toldAt }: NoticePlace, nowMs: number): Notice | null {
  const isQuiet = ({ notice }: WaitingNotice) =>
    nowMs - (toldAt[notice.subject] ?? -NOTICES_APART_MS) >= NOTICES_APART_MS;
  return waiting.find((each) => each.dueAt <= nowMs && isQuiet(each))?.notice ?? null;
}

export function noteTold(place: NoticePlace, { id, subject }: Notice, nowMs: number): PlaceAfter {
  const recent = Object.entries(place.toldAt).filter(([, at]) => nowMs - at < NOTICES_APART_MS && at <= nowMs);
  const waiting = place.waiting.filter(({ notice }) => notice.id !== id);
  return { place: { ...place, waiting, toldAt: { ...Object.fromEntries(recent), [subject]: nowMs } }, lost: [] };
}

interface Failure {
  readonly error: string;
  /** Another attempt cannot succeed. */
  readonly isLasting: boolean;
  readonly nowMs: number;
}

export function noteFailed(place: NoticePlace, { id }: Notice, { error, isLasting, nowMs }: Failure): PlaceAfter {
  const failed = place.waiting.find(({ notice }) => notice.id === id);
  if (!failed) return { place, lost: [] };
  const attempts = failed.attempts + 1;
  const others = place.waiting.filter((each) => each !== failed);
  if (isLasting || attempts >= NOTICE_ATTEMPTS_MAX) {
    return { place: { ...place, waiting: others }, lost: [{ notice: failed.notice, error }] };
  }
  const dueAt = nowMs + Math.min(NOTICE_RETRY_MS_MAX, NOTICE_RETRY_MS * 2 ** (attempts - 1));
  const waiting = place.waiting.map((each) => (each === failed ? { ...failed, attempts, dueAt } : each));
  return { place: { ...place, waiting }, lost: [] };
}
