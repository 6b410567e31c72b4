import { writeJson } from '../write-json.ts';
import { EventSchema, type SaopMessage, TurnEnvelopeSchema } from './schema.ts';

export function encodeSaop(message: SaopMessage): string {
  return writeJson('event_id' in message && 'payload' in message ? EventSchema : TurnEnvelopeSchema, message);
}
