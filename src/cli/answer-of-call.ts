import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { NodeAnswer } from './node/node-command.ts';
import { refusalValue } from './output/print.ts';
import type { Style } from './output/style.ts';

const EXIT_REFUSED = 2;

export function refused(refusal: Refusal): NodeAnswer<unknown> {
  return {
    values: [refusalValue(refusal, refusal.code)],
    human: () => refusal,
    exitCode: () => EXIT_REFUSED,
  };
}

/** Presents one value to people, and names the tasks it changed. */
export interface Presentation<Value> {
  say(value: Value, style: Style): string;
  touched?(value: Value): readonly string[];
  /** A line for stderr: the next command, or what was left out. */
  next?(value: Value): string | null;
  /** Default: 0. */
  exitCode?(value: Value): number;
}

/** The answer of a call that returns one value or a refusal. */
export function answerOfCall<Value>(result: Value | Refusal, presentation: Presentation<Value>): NodeAnswer<unknown> {
  if (isRefusal(result)) return refused(result);
  return {
    values: [result],
    human: (_value, style) => presentation.say(result, style),
    summary: () => presentation.next?.(result) ?? null,
    touched: presentation.touched?.(result) ?? [],
    exitCode: () => presentation.exitCode?.(result) ?? 0,
  };
}
