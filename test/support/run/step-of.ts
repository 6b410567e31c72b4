import type { Fact } from '../../../src/domain/execution/fact.ts';
import { nextStep, type Step } from '../../../src/domain/execution/next-step.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import { POLICY_DEFAULTS } from '../../../src/domain/order/policy.ts';
import { anOrder } from '../order/an-order.ts';
import {
  collected,
  ended,
  FINISHED,
  launched,
  leased,
  replayed,
  result,
  snapshotted,
  verified,
} from './an-execution.ts';

export const STOP: Fact = { kind: 'stop-requested', by: 'operator' };

export const KEPT = snapshotted({ files: [{ path: 'a', keptAs: '/data/a', strategy: 'copy', mode: 0o644 }] });

export const RETRIED = anOrder({ policy: { ...POLICY_DEFAULTS, retriesMax: 1 } });

export function step(order: Order, ...facts: readonly (Fact | readonly Fact[])[]): Step {
  return nextStep(replayed(order, facts.flat()));
}

/** The facts of a run up to this point. */
export const RUN = [
  leased('r1'),
  launched('r1'),
  ended('r1', FINISHED),
  collected('r1'),
  verified('r1', [result('npm test')]),
];
