import { writeJson } from '../write-json.ts';
import { AFP_SCHEMAS } from './kinds.ts';
import type { AfpMessage } from './schema.ts';

export function encodeAfp(message: AfpMessage): string {
  if ('sessionID' in message) return writeJson(AFP_SCHEMAS[message.type], message);
  return writeJson('status' in message ? AFP_SCHEMAS.response : AFP_SCHEMAS.request, message);
}
