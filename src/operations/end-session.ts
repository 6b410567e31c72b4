import type { Command } from '../ledger/commit-queue.ts';
import { hasOpenOrder } from '../ledger/statements/orders.ts';
import { beatHolder, liveRun, type RunReference } from './beat-run.ts';
import { closeRun, type Ended } from './end-run.ts';

/** session_end: ends the run of an agent, and no other one (aof:session-end). */
export const endSession: Command<RunReference, Ended> = (tx, reference) => {
  const live = liveRun(tx, reference);
  if (live.kind === 'refusal') return live;
  // The run of an order ends with its process, and by Baton's findings. The message counts as a heartbeat only.
  if (hasOpenOrder(tx, live.task.id)) {
    beatHolder(tx, live.task, live.run);
    return { task: live.task, events: [], run: live.run };
  }
  return closeRun(tx, live, 'session_end');
};
