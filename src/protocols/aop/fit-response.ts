import { isJsonObject } from '../../domain/json-object.ts';
import { AOP_RESPONSE_BYTES_MAX } from '../../domain/message-limits.ts';
import { isLargerThan } from '../text-size.ts';
import { encodeAop } from './encode.ts';
import type { ResponseMessage } from './schema/response.ts';

/** Decreasing lengths; the last fits any message. */
const STEPS = [
  { characters: 50_000, items: 2_000 },
  { characters: 10_000, items: 1_000 },
  { characters: 2_000, items: 300 },
  { characters: 600, items: 60 },
  { characters: 100, items: 5 },
] as const;

/** Never shortened: the schema bounds names, and a part of one is meaningless. */
const WHOLE: ReadonlySet<string> = new Set(['session_id', 'task_id', 'checkpoint_id', 'name', 'hash', 'task', 'run']);

/** AOP §4: never over the hard limit. Long texts lose their middle, long lists their end, and it says so. */
export function fitResponse(message: ResponseMessage): ResponseMessage {
  if (fits(message)) return message;
  const noted = withNote(withoutOwn(message));
  if (fits(noted)) return noted;
  for (const step of STEPS) {
    const shorter = shortened(noted, step) as ResponseMessage;
    if (fits(shorter)) return shorter;
  }
  throw new Error('a RESPONSE of the shortest texts and lists is too large');
}

/** The agent's own extensions go first: an object of any form cannot be shortened. */
function withoutOwn({ extensions, execution_summary: summary, ...message }: ResponseMessage): ResponseMessage {
  const { extensions: _, ...kept } = summary ?? {};
  return { ...message, ...(summary && { execution_summary: kept }), extensions: { x_baton: extensions?.x_baton } };
}

/** A text with more characters than the limit has bytes is not encoded just to be measured. */
function fits(message: ResponseMessage): boolean {
  if (charactersOf(message) > AOP_RESPONSE_BYTES_MAX) return false;
  return !isLargerThan(encodeAop(message), AOP_RESPONSE_BYTES_MAX);
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + charactersOf(part), 0);
}

function withNote(message: ResponseMessage): ResponseMessage {
  const { execution_summary: summary } = message;
  const note = `E_PAYLOAD_SIZE_WARNING: it was shortened to ${AOP_RESPONSE_BYTES_MAX} bytes`;
  return { ...message, execution_summary: { ...summary, warnings: [note, ...(summary?.warnings ?? [])] } };
}

interface Step {
  readonly characters: number;
  readonly items: number;
}

function shortened(value: unknown, step: Step): unknown {
  if (typeof value === 'string') return withoutMiddle(value, step.characters);
  if (Array.isArray(value)) return value.slice(0, step.items).map((item) => shortened(item, step));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => {
    return [key, typeof field === 'string' && WHOLE.has(key) ? field : shortened(field, step)];
  });
  return Object.fromEntries(fields);
}

/** Output is cut at its start, because its end matters most; a sentence is cut at its end. */
function withoutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor((max - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`.toWellFormed();
}
