import type { EventView } from '../../src/api/contract.ts';
import { eventSentence } from '../../src/domain/trace/event-sentence.ts';
import { withoutColours } from '../node/safe-json.ts';
import { durationText, timeText } from './format.ts';

/** The rest of a sentence that begins with the actor of the event, in the words of the terminal. */
export function sentenceOf(event: Pick<EventView, 'type' | 'payload'>): string {
  const at = (instant: string) => timeText(Date.parse(instant), Date.now());
  return withoutColours(eventSentence(event, { at, duration: durationText }));
}

/** An actor in words: the node's own deeds are Baton's. */
export function actorOf({ actor }: Pick<EventView, 'actor'>): string {
  return actorText(actor);
}

export function actorText(actor: string): string {
  return actor === 'dispatcher' ? 'Baton' : actor === 'operator' ? 'you' : actor;
}
