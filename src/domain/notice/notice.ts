import { FAILURE_CODES } from '../failure-code.ts';
import { SIGNALS } from '../order/record-words.ts';
import { maskSecrets } from '../secrets/mask-secrets.ts';
import { NOTICE_CHARACTERS_MAX } from '../session/session-limits.ts';
import { reasonSentence, type TaskReason } from '../task/task-reason.ts';
import type { EventType, LedgerEvent } from '../trace/ledger-event.ts';

/** The kinds of news that a rule of the configuration can ask for. */
export const NOTICE_KINDS = [
  'needs-you',
  'failed',
  'session-ended',
  'budget',
  'stuck',
  'review',
  'blocked',
  'done',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Something that a person wants to be told. Its texts are masked, and have no control characters. */
export interface Notice {
  /** The same for each attempt to deliver it. */
  readonly id: string;
  readonly kinds: readonly NoticeKind[];
  /** The task or session that it is about, or `node`. */
  readonly subject: string;
  readonly title: string;
  /** Oldest first; news about the same subject that came meanwhile are added. */
  readonly texts: readonly string[];
  readonly task: string | null;
  readonly session: string | null;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** The only events that become notices. */
export const NOTICED_EVENTS: readonly EventType[] = [
  'task.transitioned',
  'order.settled',
  'question.asked',
  'session.reported',
  'session.stopped',
  'incident.opened',
  'trace.entropy_detected',
];

/** An incident about a notice that could not be delivered is no news for the same places. */
export const UNDELIVERED = 'notice_undelivered';

/** Without moves to review that the same change took further: checked work is in review for no time, and needs nobody. */
export function standingEvents(events: readonly LedgerEvent[]): readonly LedgerEvent[] {
  const isMove = ({ type }: LedgerEvent) => type === 'task.transitioned';
  const left = new Set(
    events
      .filter((event) => isMove(event) && event.payload.from === 'review')
      .map(({ taskId, at }) => `${taskId} ${at}`),
  );
  return events.filter((event) => {
    return !isMove(event) || event.payload.to !== 'review' || !left.has(`${event.taskId} ${event.at}`);
  });
}

interface News {
  readonly kinds: readonly NoticeKind[];
  readonly text: string;
}

/** The notice of an event; null for an event that nobody has to know at once. `nameOf` is the title of a task or session. */
export function noticeOf(event: LedgerEvent, nameOf: (event: LedgerEvent) => string): Notice | null {
  const news = newsOf(event);
  if (news === null) return null;
  const subject = event.taskId ?? event.sessionId ?? 'node';
  const name = nameOf(event);
  return {
    id: `ntc_${event.seq}`,
    kinds: news.kinds,
    subject,
    title: told(name === '' || name === subject ? subject : `${subject}: ${name}`),
    texts: [told(news.text)],
    task: event.taskId,
    session: event.sessionId,
    at: event.at,
  };
}

function newsOf({ type, payload: of }: LedgerEvent): News | null {
  switch (type) {
    case 'task.transitioned':
      return moveNews(String(of.to), of as Partial<TaskReason>);
    case 'order.settled':
      return settledNews(of);
    case 'question.asked':
      return { kinds: of.kind === 'budget' ? ['needs-you', 'budget'] : ['needs-you'], text: `asks to ${of.what}` };
    case 'session.reported':
      return { kinds: ['session-ended'], text: sessionText(of) };
    case 'session.stopped':
      return of.cause === 'budget' ? { kinds: ['budget'], text: `stopped: ${of.message}` } : null;
    case 'incident.opened':
      return of.kind === UNDELIVERED ? null : { kinds: ['needs-you'], text: `${of.kind}: ${of.detail}` };
    case 'trace.entropy_detected':
      // A pause is a move to blocked, which is news of its own.
      return {
        kinds: of.action === 'notify' || of.action === 'escalate' ? ['stuck', 'needs-you'] : ['stuck'],
        text: `goes nowhere: ${of.text}`,
      };
    default:
      return null;
  }
}

/** AOF §6.2: review, blocked and done. Given up is blocked for good. Of a skipped task the one that failed is what needs somebody. */
function moveNews(to: string, { reason = null, cause = null }: Partial<TaskReason>): News | null {
  const why = reasonSentence({ reason, cause });
  const text = why === null ? `is in ${to} now` : `is in ${to} now: ${why}`;
  if (to === 'review') return { kinds: ['review', 'needs-you'], text };
  if (to === 'blocked' && cause?.kind === 'failed' && cause.code === FAILURE_CODES['dependency-failed'])
    return { kinds: ['blocked'], text };
  if (to === 'blocked' || to === 'deadletter') return { kinds: ['blocked', 'needs-you'], text };
  return to === 'done' ? { kinds: ['done'], text } : null;
}

function settledNews(of: LedgerEvent['payload']): News | null {
  const kinds: NoticeKind[] = [
    ...(of.signal === SIGNALS.failed ? (['failed'] as const) : []),
    ...(of.code === FAILURE_CODES['budget-exceeded'] ? (['budget'] as const) : []),
  ];
  const code = of.code ? `, ${of.code}` : '';
  return kinds.length === 0 ? null : { kinds, text: `failed${code}: ${of.message}` };
}

function sessionText({ signal, totals, costUsd }: LedgerEvent['payload']): string {
  const { tasks = 0, completed = 0 } = (totals ?? {}) as { readonly tasks?: number; readonly completed?: number };
  return `the session ended with ${signal}: ${completed} of ${tasks} tasks completed, $${Number(costUsd).toFixed(2)}`;
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

function told(text: string): string {
  const characters = [...maskSecrets(text).replaceAll(CONTROL, ' ').trim()];
  if (characters.length <= NOTICE_CHARACTERS_MAX) return characters.join('');
  return `${characters.slice(0, NOTICE_CHARACTERS_MAX - 1).join('')}…`;
}
