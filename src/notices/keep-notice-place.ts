import { UNDELIVERED } from '../domain/notice/notice.ts';
import type { LostNotice, NoticePlace } from '../domain/notice/plan-notices.ts';
import { DISPATCHER } from '../domain/task/decide-sender.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { closeIncident, insertIncident, selectIncidentAbout } from '../ledger/statements/incidents.ts';
import { selectMeta, upsertMeta } from '../ledger/statements/meta.ts';
import type { Reader, Tx } from '../ledger/tx.ts';

interface KeptPlace {
  readonly key: string;
  /** For people, without secrets. */
  readonly name: string;
  readonly place: NoticePlace;
  /** Dead letters: they become one incident a place. */
  readonly lost: readonly LostNotice[];
  /** A notice was just delivered: the incident is over. */
  readonly isReached: boolean;
}

const keyOf = (key: string) => `notices.${key}`;

/** Null for a place that has no state yet. */
export function readNoticePlace(read: Reader, key: string): NoticePlace | null {
  return JSON.parse(selectMeta(read, keyOf(key)) ?? 'null') as NoticePlace | null;
}

/** Stores the notices that wait for a place. Given up ones open an incident, and the next delivered one closes it. */
export const keepNoticePlace: Command<KeptPlace, { readonly events: readonly LedgerEvent[] }> = (tx, kept) => {
  upsertMeta(tx, keyOf(kept.key), JSON.stringify(kept.place));
  const open = selectIncidentAbout(tx, UNDELIVERED, kept.key);
  const [first] = kept.lost;
  if (first && open === null) return { events: [openFor(tx, kept, first)] };
  if (!kept.isReached || open === null) return { events: [] };
  closeIncident(tx, open);
  const payload = { incident: open, kind: UNDELIVERED };
  return { events: [insertEvent(tx, { type: 'incident.closed', actor: DISPATCHER, taskId: null, payload })] };
};

function openFor(tx: Tx, { key, name, lost }: KeptPlace, { notice, error }: LostNotice): LedgerEvent {
  const more = lost.length > 1 ? ` and ${lost.length - 1} more` : '';
  const detail = `${name}: gave up the notice "${notice.title}"${more}: ${error}`;
  const incident = insertIncident(tx, { kind: UNDELIVERED, taskId: null, detail, subject: key });
  const payload = { incident, kind: UNDELIVERED, detail };
  return insertEvent(tx, { type: 'incident.opened', actor: DISPATCHER, taskId: null, payload });
}
