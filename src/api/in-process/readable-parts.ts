import { AOF_PREFIX } from '../../protocols/detect.ts';
import { isJsonObject, type JsonObject, readJson } from '../../protocols/json-text.ts';

/** What a message that is not valid still tells of itself. */
export function readable(text: string): { taskId: string | null; fromAgent: string | null; type: string | null } {
  const reading = readJson(text.startsWith(AOF_PREFIX) ? text.slice(AOF_PREFIX.length) : text);
  const value = isJsonObject(reading.value) ? reading.value : {};
  return { taskId: textAt(value, 'taskId'), fromAgent: textAt(value, 'fromAgent'), type: textAt(value, 'type') };
}

function textAt(value: JsonObject, key: string): string | null {
  const found = value[key];
  return typeof found === 'string' ? found.slice(0, 128) : null;
}
