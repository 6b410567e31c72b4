import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { NodeAnswer } from './node-command.ts';
import type { Look } from './output/look.ts';
import { refusalValue } from './output/print.ts';

const EXIT_REFUSED = 2;

export function refused(refusal: Refusal): NodeAnswer<unknown> {
  return {
    values: [refusalValue(refusal, refusal.code)],
    human: () => refusal,
    exitCode: () => EXIT_REFUSED,
  };
}

/** How one value is told to a person, and which tasks it changed. */
export interface Telling<Value> {
  say(value: Value, look: Look): string;
  touched?(value: Value): readonly string[];
  /** What to do next, or what was left out. */
  next?(value: Value): string | null;
  /** 0 where it is not told. */
  exitCode?(value: Value): number;
}

/** The answer of a call that gives one value or a refusal. */
export function answerOf<Value>(result: Value | Refusal, telling: Telling<Value>): NodeAnswer<unknown> {
  if (isRefusal(result)) return refused(result);
  return {
    values: [result],
    human: (_value, look) => telling.say(result, look),
    summary: () => telling.next?.(result) ?? null,
    touched: telling.touched?.(result) ?? [],
    exitCode: () => telling.exitCode?.(result) ?? 0,
  };
}
