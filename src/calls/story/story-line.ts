import type { EventView } from '../../api/contract.ts';
import type { StoryLine, StoryTone } from '../../api/trace/story-contract.ts';
import { settledWord, type VerdictWord, WORD_TONES } from '../../domain/words/verdict-words.ts';
import { moreOf, payloadText } from './event-payload.ts';

/** Told elsewhere: by the attempt, the turn or the checks that they belong to. */
const UNTOLD: ReadonlySet<string> = new Set([
  ...['order.reported', 'order.admitted', 'run.launched', 'run.ended', 'words.delivered'],
  ...['run.progressed', 'task.completed', 'task.edited', 'protocol.message.received'],
]);
/** Moves that the story tells anyway. */
const QUIET_MOVES: ReadonlySet<string> = new Set(['ready', 'in-progress', 'review']);

const TONES: Readonly<Record<string, StoryTone>> = {
  'order.unanswered': 'bad',
  'order.requeued': 'warn',
  'order.rolled_back': 'warn',
  'order.stop_requested': 'warn',
  'run.warned': 'warn',
  'run.retried': 'warn',
  'run.quota_reached': 'warn',
  'task.rewound': 'warn',
  'work.undone': 'warn',
  'work.discarded': 'warn',
  'work.applied': 'good',
  'review.approved': 'good',
  'review.returned': 'warn',
  'incident.opened': 'bad',
  'protocol.message.rejected': 'bad',
};

/** Whether an event is a line of the story by itself. */
export function isTold({ type, payload }: EventView): boolean {
  if (type === 'task.transitioned') return !QUIET_MOVES.has(payloadText(payload.to));
  return !UNTOLD.has(type) && !(type === 'run.exited' && payload.end === 'finished');
}

export function lineOf(event: EventView): Omit<StoryLine, 'id' | 'at' | 'changed'> {
  const { type, actor: by, payload } = event;
  // The message of another protocol says the same.
  const { message: said, messages: _, ...own } = payload;
  const isSentence = typeof said === 'string';
  const kept = isSentence ? { ...own, message: said } : own;
  return { kind: 'line', tone: toneOf(event), by, type, payload: kept, more: moreOf(payload) };
}

function toneOf({ type, payload }: EventView): StoryTone {
  if (type === 'order.settled') return toneOfWord(settledWord(payload));
  if (type === 'run.exited') return payload.end === 'failed' || payload.end === 'lost' ? 'bad' : 'warn';
  if (type === 'task.transitioned') return payload.to === 'blocked' || payload.to === 'deadletter' ? 'warn' : 'plain';
  return TONES[type] ?? 'plain';
}

function toneOfWord(word: VerdictWord | null): StoryTone {
  const tone = word && WORD_TONES[word];
  return tone === 'good' || tone === 'bad' ? tone : 'warn';
}
