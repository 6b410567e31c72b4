import { RUN_BEAT_MS, RUN_LOG_FLUSH_MS } from '../../domain/limits.ts';
import { beatRun } from '../../operations/beat-run.ts';
import { faultFacts } from '../../platform/logger.ts';
import { Loop } from '../../platform/loop.ts';
import type { RunAtHand } from '../order-steps.ts';
import type { RunLog } from '../run-log.ts';
import type { RunWorld } from '../run-world.ts';

/** What it printed reaches its file, and its heart beats in the ledger as long as the program lives. */
export function startRunLoops(
  { timer, ledger, log: logger }: RunWorld,
  { task, runId, execution }: RunAtHand,
  log: RunLog,
): Loop[] {
  const onFault = (error: unknown) => logger.log('run.watch_failed', { task: task.id, ...faultFacts(error) });
  const agent = execution.attempts.at(-1)?.agent ?? '';
  const loops = [
    new Loop({ timer, everyMs: RUN_LOG_FLUSH_MS, tick: async () => log.flush(), onFault }),
    new Loop({
      timer,
      everyMs: RUN_BEAT_MS,
      tick: () => ledger.submit(beatRun, { taskId: task.id, agent, runId }),
      onFault,
    }),
  ];
  for (const loop of loops) loop.start();
  return loops;
}
