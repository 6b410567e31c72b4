import { join } from 'node:path';
import type { CheckResult } from '../../domain/execution/check-result.ts';
import { type Execution, lastRun } from '../../domain/execution/execution.ts';
import { changesLeft } from '../../domain/execution/recorded-changes.ts';
import { recordCode } from '../../domain/failure-code.ts';
import {
  ANSWER_CHECKS_MAX,
  ANSWER_TAIL_CHARACTERS_MAX,
  ANSWER_TEXT_CHARACTERS_MAX,
  TASK_OUTPUT_BYTES_MAX,
} from '../../domain/federation/federation-limits.ts';
import { failureClassOf } from '../../domain/order/failure-class.ts';
import type { Report } from '../../domain/order/report.ts';
import { isAccepted } from '../../domain/order/work-verdict.ts';
import { failureOfRefusal, isRefusal, type Refusal } from '../../domain/refusal.ts';
import { shorten } from '../../domain/words/shorten.ts';
import { readJson } from '../../protocols/json-text.ts';
import type { OutcomeExtension } from '../../protocols/runtime/schema/extensions.ts';
import { readPlainFile } from '../../workspace/files/read-plain-file.ts';
import type { Parcel } from '../parcel/parcel.ts';
import type { ReceivedEnd } from './received-work.ts';

/**
 * The end of a task of another node, as it is told: bounded, so that it fits into one event. Work that cannot be packed is told as
 * failed, because its sender would get nothing of it. Null where no files go back.
 */
export function receivedEnd(execution: Execution, report: Report, packed: Parcel | Refusal | null): ReceivedEnd {
  const outcome = outcomeOf(execution, report);
  const parcel = isRefusal(packed) ? null : packed;
  if (isAccepted(report.verdict)) {
    if (!isRefusal(packed)) return { failureClass: null, outcome, parcel, ...resultOf(execution) };
    const failed = { ...outcome, verdict: 'failed', code: packed.code, message: packed.message } as const;
    const failureClass = failureClassOf({ verdict: 'failed', ...failureOfRefusal(packed) });
    return { failureClass, outcome: failed, parcel, resultRef: null };
  }
  const { verdict, code } = report;
  const failureClass = failureClassOf({ verdict, code, isGivenUp: execution.outcome?.isGivenUp });
  return { failureClass, outcome, parcel, ...resultOf(execution) };
}

function outcomeOf(execution: Execution, report: Report): OutcomeExtension {
  const { verdict, code, message, summary, spend, agent } = report;
  const after = lastRun(execution)?.verified?.results ?? [];
  return {
    verdict,
    code: code && recordCode(code),
    message: shorten(message, ANSWER_TEXT_CHARACTERS_MAX),
    summary: shorten(report.summaryBy === 'agent' ? summary : '', ANSWER_TEXT_CHARACTERS_MAX),
    before: (execution.snapshotted?.checks ?? []).slice(0, ANSWER_CHECKS_MAX).map((check) => checkOf(check, '')),
    after: after.slice(0, ANSWER_CHECKS_MAX).map((check) => checkOf(check, check.tail)),
    spend: { costUsd: spend.costUsd, tokensInput: spend.tokensInput, tokensOutput: spend.tokensOutput },
    model: { provider: agent.provider, name: agent.model },
  };
}

function checkOf({ id, kind, result, message, command, exitCode, durationMs }: CheckResult, tail: string) {
  const end = tail.slice(-ANSWER_TAIL_CHARACTERS_MAX);
  return {
    id,
    kind,
    result,
    message: shorten(message, ANSWER_TAIL_CHARACTERS_MAX),
    command,
    exitCode,
    tail: end,
    durationMs,
  };
}

/** The file in which an agent leaves the result of a task for another node, unless the order names one. */
const RESULT_FILE = 'result.json';

/** The result that the work left, as text or as JSON. */
function resultOf(execution: Execution): Pick<ReceivedEnd, 'resultRef' | 'output'> {
  const { order } = execution;
  const named = order.outputs.find(({ type, path }) => type === 'FILE' && path !== null)?.path ?? null;
  const path = named ?? RESULT_FILE;
  // One that was there before the work is no result of it.
  const isKnown = execution.snapshotted?.commit !== null && execution.snapshotted !== null;
  const isMade = !isKnown || changesLeft(execution).some((changed) => changed.path === path);
  if (!isMade) return { resultRef: null };
  const text = readPlainFile(join(order.workspaceRoot, path), TASK_OUTPUT_BYTES_MAX);
  if (text === null) return { resultRef: named === null ? null : `artifact://${named}` };
  return { resultRef: `artifact://${path}`, output: parsed(text) };
}

/** Text that is no JSON, or none that an event may carry, is a result in plain text. It lies this deep in its event. */
function parsed(text: string): unknown {
  const reading = readJson(`[[[[${text}]]]]`);
  if (reading.kind !== 'value') return text;
  const [[[list]]] = reading.value as [[[unknown[]]]];
  return list.length === 1 ? list[0] : text;
}
