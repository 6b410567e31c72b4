import type { RunHolder } from '../../domain/channel.ts';
import { RUN_BEAT_MS, RUN_LOG_FLUSH_MS, RUN_SIGN_MS } from '../../domain/limits.ts';
import { PRINTED_LINES_FLUSH_MS } from '../../domain/trace-limits.ts';
import { beatRun } from '../../operations/beat-run.ts';
import { faultFacts } from '../../platform/logger.ts';
import { Loop } from '../../platform/loop.ts';
import type { AttemptWorld, BoundedLaunch } from './attempt.ts';
import type { RunLog } from './run-log.ts';

/** The records of a run that are written while its process lives. */
export interface LoopedRecords {
  readonly log: RunLog;
  /** Adds output to the trace. */
  flushOutput(): Promise<void>;
}

/** Writes output to the log file and to the trace, and renews the lease, while the process lives. */
export function startLoops(
  world: AttemptWorld,
  { run }: BoundedLaunch<RunHolder>,
  { log, flushOutput }: LoopedRecords,
): readonly Loop[] {
  const { timer, ledger, log: logger } = world;
  const { taskId, agent, runId } = run.holder;
  const onFault = (error: unknown) => logger.log('run.watch_failed', { task: taskId, ...faultFacts(error) });
  const beat = () => ledger.submit(beatRun, { taskId, agent, runId });
  const loops = [
    new Loop({ timer, everyMs: RUN_LOG_FLUSH_MS, tick: async () => log.flush(), onFault }),
    new Loop({ timer, everyMs: PRINTED_LINES_FLUSH_MS, tick: flushOutput, onFault }),
    new Loop({ timer, everyMs: RUN_BEAT_MS, tick: beat, onFault }),
    new Loop({ timer, everyMs: RUN_SIGN_MS, tick: async () => log.sign(), onFault }),
  ];
  for (const loop of loops) loop.start();
  return loops;
}
