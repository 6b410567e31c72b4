import type { EventView } from '../../api/contract.ts';
import { eventSentence } from '../../domain/trace/event-sentence.ts';
import type { Style } from '../output/style.ts';
import { durationText, secondText, timeText } from '../output/time-text.ts';
import { visible } from '../output/visible.ts';

const NUMBER_WIDTH = 6;
const NAME_WIDTH = 'TASK-2026-02-09-057'.length;
const ACTOR_WIDTH = 12;

export function eventTextLine(event: EventView, style: Style): string {
  return [
    style.faint(String(event.eventId).padStart(NUMBER_WIDTH)),
    secondText(event.timestamp),
    style.strong((event.taskId ?? '-').padEnd(NAME_WIDTH)),
    visible(event.actor).padEnd(ACTOR_WIDTH),
    eventText(event, style),
  ].join('  ');
}

/** The rest of a sentence that begins with the actor of the event. An event is one line; the report shows all of a message. */
export function eventText(event: EventView, { nowMs }: Style): string {
  const sentence = eventSentence(event, { at: (instant) => timeText(instant, nowMs), duration: durationText });
  return visible(sentence.split('\n', 1)[0] ?? '');
}
