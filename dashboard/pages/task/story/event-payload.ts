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

/** The end of a step. A status in words says no more than its shape. */
export function endedStep(payload: Payload, at: string): Pick<Step, 'endedAt' | 'result' | 'isSuccess' | 'exitCode'> {
  const result = text(payload.result);
  return {
    endedAt: at,
    result: result === 'success' || result === 'failure' ? '' : result,
    isSuccess: payload.isSuccess === true,
    exitCode: typeof payload.exitCode === 'number' ? payload.exitCode : null,
  };
}

type Traced =
  | { readonly kind: 'begun'; readonly step: Step }
  | ({ readonly kind: 'ended'; readonly call: string } & ReturnType<typeof endedStep>)
  | { readonly kind: 'thought'; readonly turnIndex: number; readonly chunk: string }
  | { readonly kind: 'other' };

/** The event of SAOP that an event of the ledger carries. */
export function tracedOf({ message }: Payload, at: string): Traced {
  const { type, call_id, tool, arguments: input, status, turn_index, chunk } = record(record(message).payload);
  const call = text(call_id);
  if (type === 'TOOL_LIFECYCLE_INVOKED') {
    return { kind: 'begun', step: begunStep({ call, tool, input: JSON.stringify(input ?? {}) }, at) };
  }
  if (type === 'TOOL_LIFECYCLE_COMPLETED') {
    return { kind: 'ended', call, ...endedStep({ result: status, isSuccess: status === 'success' }, at) };
  }
  const isThought = type === 'THOUGHT_STREAM' && typeof turn_index === 'number' && text(chunk) !== '';
  return isThought ? { kind: 'thought', turnIndex: turn_index, chunk: text(chunk) } : { kind: 'other' };
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
