import type { EventView } from '../../api/contract.ts';
import type { StoryCheck, StoryStep } from '../../api/trace/story-contract.ts';

// Reads the payloads of events, whatever an agent put into them.

export type Payload = EventView['payload'];

export function printedLines({ message, messages }: Payload): readonly string[] {
  const printed = Array.isArray(messages) ? messages : [message];
  return printed.flatMap((each) => {
    const { type, line } = record(record(each).payload);
    return type === 'SANDBOX_PULSE' ? [payloadText(line)] : [];
  });
}

export function begunStep(payload: Payload, at: string): StoryStep {
  return {
    call: payloadText(payload.call),
    tool: payloadText(payload.tool),
    input: payloadText(payload.input),
    startedAt: at,
    endedAt: null,
    result: null,
    isSuccess: null,
    exitCode: null,
  };
}

/** The end of a step. A status in words says no more than its shape. */
export function endedStep(
  payload: Payload,
  at: string,
): Pick<StoryStep, 'endedAt' | 'result' | 'isSuccess' | 'exitCode'> {
  const result = payloadText(payload.result);
  return {
    endedAt: at,
    result: result === 'success' || result === 'failure' ? '' : result,
    isSuccess: payload.isSuccess === true,
    exitCode: typeof payload.exitCode === 'number' ? payload.exitCode : null,
  };
}

type TracedStep =
  | { readonly kind: 'begun'; readonly step: StoryStep }
  | ({ readonly kind: 'ended'; readonly call: string } & ReturnType<typeof endedStep>)
  | { readonly kind: 'thought'; readonly turnIndex: number; readonly chunk: string }
  | { readonly kind: 'other' };

/** The event of SAOP that an event of the ledger carries. */
export function tracedOf({ message }: Payload, at: string): TracedStep {
  const { type, call_id, tool, arguments: input, status, turn_index, chunk } = record(record(message).payload);
  const call = payloadText(call_id);
  if (type === 'TOOL_LIFECYCLE_INVOKED') {
    return { kind: 'begun', step: begunStep({ call, tool, input: JSON.stringify(input ?? {}) }, at) };
  }
  if (type === 'TOOL_LIFECYCLE_COMPLETED') {
    return { kind: 'ended', call, ...endedStep({ result: status, isSuccess: status === 'success' }, at) };
  }
  const isThought = type === 'THOUGHT_STREAM' && typeof turn_index === 'number' && payloadText(chunk) !== '';
  return isThought ? { kind: 'thought', turnIndex: turn_index, chunk: payloadText(chunk) } : { kind: 'other' };
}

/** The points of a return. */
export function moreOf({ items }: Payload): readonly string[] {
  if (!Array.isArray(items)) return [];
  return items.map((item, at) => `${at + 1}. ${payloadText(record(item).aspect)}: ${payloadText(record(item).text)}`);
}

export function checkLine(given: unknown): StoryCheck {
  const { id, result, message, why } = record(given);
  return { id: payloadText(id), result: payloadText(result), message: payloadText(why) || payloadText(message) };
}

export function sum(one: unknown, other: unknown): number | null {
  return typeof one === 'number' && typeof other === 'number' ? one + other : null;
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function payloadText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
}
