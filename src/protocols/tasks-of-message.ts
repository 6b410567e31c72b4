import { isJsonObject, type JsonObject } from '../domain/words/json-object.ts';
import { AOF_PREFIX } from './detect.ts';

/** The tasks that the fields of a message name. Empty where it names none by Baton's own name, or cannot be read. */
export function tasksOfMessage(text: string): readonly string[] {
  const message = objectIn(text);
  // AOF: the envelope, and the parent of a handoff. SAOP: the metadata of a turn.
  const named = [message.taskId, objectOf(message.payload).parentTaskId, objectOf(message.metadata).task_id];
  return named.filter((name) => typeof name === 'string');
}

/** Not readJson: what a receiver would refuse, such as a key that is there twice, does no harm here. */
function objectIn(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text.startsWith(AOF_PREFIX) ? text.slice(AOF_PREFIX.length) : text));
  } catch {
    // No JSON: the message names no task that could be known.
    return {};
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
