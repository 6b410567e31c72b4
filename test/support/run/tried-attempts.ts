import { chooseFallback, type Sequel } from '../../../src/domain/execution/choose-fallback.ts';
import type { AttemptEnd, Fact } from '../../../src/domain/execution/fact.ts';
import type { Alternative, FallbackTrigger, Order } from '../../../src/domain/order/order.ts';
import { type ExecutionPolicy, POLICY_DEFAULTS } from '../../../src/domain/order/policy.ts';
import { anOrder } from '../order/an-order.ts';
import { attemptOf, executionOf, failedBy, leased, requeued } from './an-execution.ts';

export const policy = (some: Partial<ExecutionPolicy>): Partial<Order> => ({ policy: { ...POLICY_DEFAULTS, ...some } });

export const models = (...triggers: readonly FallbackTrigger[]): readonly Alternative[] =>
  triggers.map((trigger, at) => ({ provider: 'GEMINI', model: `g-${at}`, trigger }));

/** Attempts one after the other, each by the target or by an alternative. */
export function tried(...attempts: readonly (readonly [AttemptEnd, number | null])[]): readonly Fact[] {
  return attempts.flatMap(([end, alternative], at) => {
    const [, ...rest] = attemptOf(`r${at}`, end);
    return [...(at === 0 ? [] : [requeued({ alternative })]), leased(`r${at}`, { alternative }), ...rest];
  });
}

export function after(some: Partial<Order>, ...facts: readonly (Fact | readonly Fact[])[]): Sequel {
  return chooseFallback(executionOf(anOrder(some), ...facts));
}

/** The next agent and its delay, or the end. */
export function short(sequel: Sequel): string {
  if (sequel.kind === 'settle') return `${sequel.outcome.verdict} ${sequel.outcome.code}`;
  return `${sequel.alternative ?? 'target'} after ${sequel.afterMs} ms`;
}

export const TIMEOUT = failedBy('timeout', 'too slow');

export const CRASH = failedBy('process-crashed', 'exit 3');

export const LOST: AttemptEnd = { kind: 'lost' };
