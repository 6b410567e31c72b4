import type { AgentSignal } from '../../domain/agent-signal.ts';
import { selectQuotaHold } from '../../ledger/statements/quota-holds.ts';
import { liftQuota } from '../../operations/lift-quota.ts';
import { faultFacts } from '../../platform/logger.ts';
import type { AgentWorld, BoundedLaunch } from './attempt.ts';
import { isAnswer } from './run-tally.ts';

/** Hears the signals of a run: with the first answer of its model, the tasks that wait for the same account may start. */
export function liftOnAnswer(
  { ledger, log }: AgentWorld,
  { account = null, run }: BoundedLaunch,
): (signal: AgentSignal) => void {
  let isServed = false;
  return (signal) => {
    if (account === null || isServed || !isAnswer(signal)) return;
    isServed = true;
    if (selectQuotaHold(ledger.read, account) === null) return;
    const onFault = (error: unknown) => log.log('quota.lift_failed', { run: run.runId, ...faultFacts(error) });
    void ledger.submit(liftQuota, { account }).catch(onFault);
  };
}
