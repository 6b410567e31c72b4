import { explainIssue } from './explain-issue.ts';
import { pointer } from './issue.ts';
import { readJson } from './json-text.ts';

/** JSON that is read strictly, or the place and the reason why it is not. */
export type JsonTextReading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly path: string; readonly reason: string };

/** Reads JSON of no protocol, such as a receipt, with the same care as a message. */
export function readJsonText(text: string): JsonTextReading {
  const reading = readJson(text);
  if (reading.kind === 'value') return reading;
  return { kind: 'broken', path: pointer(reading.issue.path), reason: explainIssue(reading.issue) };
}
