import { sweepProcesses } from '../agents/process/sweep-processes.ts';
import { RECOVERY_RUNS_PER_TICK_MAX } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import { selectOpenFeedbackSessions } from '../ledger/statements/feedback-sessions.ts';
import type { AskWorld } from './ask-agent.ts';
import { loseSession, readFeedbackSession } from './record-feedback-session.ts';

/** Ends the iterations of a dead node as lost, with the processes that it left: their requester asks again. */
export async function recoverSessions({ ledger, timer }: Pick<AskWorld, 'ledger' | 'timer'>): Promise<void> {
  for (const id of selectOpenFeedbackSessions(ledger.read, RECOVERY_RUNS_PER_TICK_MAX)) {
    const session = readFeedbackSession(ledger.read, id);
    const run = isRefusal(session) ? null : (session.open?.run ?? null);
    if (run !== null) await sweepProcesses([{ runId: run.runId, identity: null }], timer);
    await ledger.submit(loseSession, { session: id });
  }
}
