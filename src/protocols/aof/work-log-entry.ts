import type { StatusUpdate } from './schema/messages.ts';

/** AOF/1, Work Log Entry Format, with the time of the message (aof:work-log). Null for an update with nothing to log. */
export function workLogEntry({ sentAt, payload }: StatusUpdate): string | null {
  const { progress, notes, blockers } = payload;
  const parts: string[] = [];
  if (progress) parts.push(`Progress: ${withoutLineBreaks(progress)}`);
  if (notes) parts.push(`Notes: ${withoutLineBreaks(notes)}`);
  if (blockers?.length) parts.push(`Blockers: ${withoutLineBreaks(blockers.join(', '))}`);
  return parts.length === 0 ? null : `- ${sentAt} ${parts.join(' | ')}`;
}

/** AOF/1, Routing Behavior: blockers, else notes, else progress. */
export function transitionReason({ payload }: StatusUpdate): string | null {
  const { progress, notes, blockers } = payload;
  if (blockers?.length) return blockers.join('; ');
  return notes || progress || null;
}

/** Replaces line breaks: text of a message must not begin a line of a file whose lines have a meaning. */
export function withoutLineBreaks(text: string): string {
  return text.replace(/[\n\v\f\r\x85\u2028\u2029]+/g, ' ');
}
