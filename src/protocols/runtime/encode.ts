import { writeJson } from '../write-json.ts';
import { JUDGED, JUDGED_TASK_ACK, type RuntimeMessage } from './kinds.ts';
import { hasTaskPayload, kindNamed } from './markers.ts';

/** common:output: names and order of the document's examples. */
export function encodeRuntime(message: RuntimeMessage): string {
  const kind = kindNamed(message);
  if (kind === null) return JSON.stringify(message);
  const { schema } = kind === 'ack' && hasTaskPayload(message) ? JUDGED_TASK_ACK : JUDGED[kind];
  return writeJson(schema, message);
}
