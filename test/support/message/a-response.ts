import assert from 'node:assert/strict';
import type { Execution } from '../../../src/domain/execution/execution.ts';
import type { AttemptEnd, Fact, Outcome } from '../../../src/domain/execution/fact.ts';
import type { Claim } from '../../../src/domain/execution/findings.ts';
import { makeReport, type ReportSurroundings } from '../../../src/domain/execution/make-report.ts';
import { AOP_RESPONSE_BYTES_MAX } from '../../../src/domain/federation/message-limits.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import type { OrderWarning } from '../../../src/domain/order/warning.ts';
import { decodeClaim } from '../../../src/protocols/aop/agent-signals.ts';
import { decodeAop } from '../../../src/protocols/aop/decode.ts';
import { encodeAop } from '../../../src/protocols/aop/encode.ts';
import { encodeResponse } from '../../../src/protocols/aop/encode-response.ts';
import type { ResponseMessage } from '../../../src/protocols/aop/schema/response.ts';
import { byteLength } from '../../../src/protocols/text-size.ts';
import { executionOf, settledBy } from '../run/an-execution.ts';
import { sampleResponse } from './aop-samples.ts';

export const ABOUT: ReportSurroundings = {
  agent: { name: 'emma', provider: 'CODEX', model: 'gpt' },
  startedAt: Date.UTC(2026, 1, 26, 12, 35, 1),
  completedAt: Date.UTC(2026, 1, 26, 12, 40, 32, 500),
  task: 'TASK-2026-02-26-001',
  receipt: 'runs/r1/receipt.json',
  measured: [],
};

export function settled(some: Partial<Outcome>): Fact {
  const outcome: Outcome = {
    verdict: 'checked',
    code: null,
    message: 'every check passed',
    attempts: [],
    ...some,
  };
  return settledBy(outcome);
}

export function warning(message: string): OrderWarning {
  return { kind: 'limit', code: null, path: null, message };
}

/** The answer, which is valid and within its size whatever happened. */
export function response(
  order: Order,
  facts: readonly (Fact | readonly Fact[])[],
  about: Partial<ReportSurroundings> = {},
): ResponseMessage {
  const message = responseOf(executionOf(order, ...facts), { ...ABOUT, ...about });
  return held(message);
}

export function responseOf(execution: Execution, about: ReportSurroundings): ResponseMessage {
  return encodeResponse(execution.order, makeReport(execution, about));
}

export function held(message: ResponseMessage): ResponseMessage {
  const text = encodeAop(message);
  assert.ok(byteLength(text) <= AOP_RESPONSE_BYTES_MAX, `${byteLength(text)} bytes`);
  const verdict = decodeAop(text);
  assert.equal(verdict.verdict, 'accepted', JSON.stringify(verdict).slice(0, 1_000));
  return JSON.parse(text) as ResponseMessage;
}

export function baton(message: ResponseMessage): Record<string, unknown> {
  return message.extensions?.x_baton as Record<string, unknown>;
}

export function claiming(some: Partial<ResponseMessage>, result: Claim['result'] = 'done'): AttemptEnd {
  const message = { ...sampleResponse(), ...some };
  const claim = { ...decodeClaim(message, JSON.stringify(message)), result, code: null, message: 'done' };
  return { kind: 'finished', claim };
}

export const output = (path: string) => ({ type: 'FILE', path, description: 'd', validation: null, snapshot: null });
