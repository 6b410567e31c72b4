import type { EventView } from '../../../../src/api/contract.ts';
import type { CheckLine, Step } from './story-item.ts';

// Reads the payloads of events, whatever an agent put into them.

export type Payload = EventView['payload'];

export function printedLines({ message, messages }: Payload): readonly string[] {
  const printed = Array.isArray(messages) ? messages : [message];
  return printed.flatMap((each) => {
    const { type, line } = record(record(each).payload);
    return type === 'SANDBOX_PULSE' ? [text(line)] : [];
  });
}

export function begunStep(payload: Payload, at: string): Step {
  return {
    call: text(payload.call),
    tool: text(payload.tool),
    input: text(payload.input),
    startedAt: at,
    endedAt: null,
    result: null,
    isSuccess: null,
    exitCode: null,
  };
}

/** The points of a return. */
export function moreOf({ items }: Payload): readonly string[] {
  if (!Array.isArray(items)) return [];
  return items.map((item, at) => `${at + 1}. ${text(record(item).aspect)}: ${text(record(item).text)}`);
}

export function checkLine(given: unknown): CheckLine {
  const { id, result, message, why } = record(given);
  return { id: text(id), result: text(result), message: text(why) || text(message) };
}

export function sum(one: unknown, other: unknown): number | null {
  return typeof one === 'number' && typeof other === 'number' ? one + other : null;
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}
