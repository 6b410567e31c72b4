/** DEL and C1: terminals obey them, and JSON.stringify leaves them raw. */
const RAW_CONTROLS = /[\u007f-\u009f]/g;

/** A value as JSON on one line, with every control character escaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(RAW_CONTROLS, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
