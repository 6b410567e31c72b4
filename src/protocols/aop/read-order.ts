import { isRefusal, type Refusal, type RefusalCode } from '../../domain/refusal.ts';
import type { Malformed, Warning } from '../codec.ts';
import { readJson } from '../json-text.ts';
import { decodeAop } from './decode.ts';
import { fallbackTask, refuseFailed } from './fallback-task.ts';
import type { VersionFallbackEvent } from './schema/events.ts';
import type { TaskMessage } from './schema/task.ts';
import { notToBeRun, type OrderSurroundings, taskOfWords } from './task-of-words.ts';

/** A text that is to be carried out, as a TASK. */
export interface ReadOrder {
  readonly task: TaskMessage;
  /** It was AOP's own form: a program's order, so nobody is asked. */
  readonly isProgram: boolean;
  /** It failed its schema and goes on as v1; who sent it is told so. */
  readonly fallback: VersionFallbackEvent | null;
  readonly warnings: readonly Warning[];
}

/** aop:detection: an AOP TASK, v1 markdown, or plain words. */
export function readOrder(text: string, about: OrderSurroundings): ReadOrder | Refusal {
  const verdict = decodeAop(text);
  if (verdict.verdict === 'malformed') return afterMalformed(verdict, text, about);
  if (verdict.verdict === 'foreign' || verdict.kind === 'V1') return fromWords(text, about);
  if (verdict.kind !== 'TASK') {
    const hint = `give the TASK itself, or plain words; baton check judges a ${verdict.kind}`;
    return notToBeRun(`this is a ${verdict.kind}, and only a TASK can be run`, hint);
  }
  return { task: verdict.message as TaskMessage, isProgram: true, fallback: null, warnings: verdict.warnings };
}

function fromWords(text: string, about: OrderSurroundings): ReadOrder | Refusal {
  const task = taskOfWords(text, about);
  return isRefusal(task) ? task : { task, isProgram: false, fallback: null, warnings: [] };
}

/** Only what was meant as a TASK and has the wrong form goes on: what is too large, or no JSON, does not. */
function afterMalformed(verdict: Malformed, text: string, about: OrderSurroundings): ReadOrder | Refusal {
  const { kind, code, errors, warnings } = verdict;
  const isFailedTask = (kind === 'TASK' || kind === null) && code === 'E_SCHEMA_VALIDATION';
  if (!isFailedTask) return refuseFailed(errors, code as RefusalCode);
  const found = fallbackTask({ value: readJson(text).value, text, errors }, about);
  if (isRefusal(found)) return found;
  return { task: found.task, isProgram: true, fallback: found.event, warnings };
}
