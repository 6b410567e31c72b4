import { writeJson } from '../write-json.ts';
import { AOP_SCHEMAS, type AopMessage } from './kinds.ts';

export function encodeAop(message: AopMessage): string {
  // V1 is Markdown: it goes out as it came in.
  if (!('message_type' in message)) return message.text;
  const kind = message.message_type === 'EVENT' ? message.event : message.message_type;
  return writeJson(AOP_SCHEMAS[kind], message);
}
