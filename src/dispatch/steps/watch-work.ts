import type { OutputReader } from '../../agents/agent-driver.ts';
import type { LiveProcess, ProcessSpec } from '../../agents/sandbox/sandbox.ts';
import type { EndCause } from '../../domain/decisions/judge-exit.ts';
import { countedBy } from '../../domain/execution/execution.ts';
import { SignalRecorder } from '../attempt/record-signals.ts';
import type { RunAtHand, Work } from '../order-steps.ts';
import { RunLog } from '../run-log.ts';
import type { RunWorld } from '../run-world.ts';
import { watchRun } from '../watch-run.ts';
import { endedFact } from './ended-fact.ts';
import { startRunLoops } from './run-loops.ts';

export interface WatchedStart {
  /** Null where nothing is going to be printed. */
  readonly reader: OutputReader | null;
  start(onLine: ProcessSpec['onLine']): Promise<LiveProcess>;
}

const SILENT: OutputReader = { line: () => [], end: () => [] };

/** A program from its start to the fact that it ended: what it prints is kept, heard and counted. */
export async function watchWork(world: RunWorld, step: RunAtHand, { reader, start }: WatchedStart): Promise<Work> {
  const { ledger, clock, timer, log: logger, receive, dataFolder } = world;
  const { task, runId, execution } = step;
  const log = new RunLog(dataFolder, task.id);
  const holder = { taskId: task.id, taskUid: task.uid, runId, agent: execution.attempts.at(-1)?.agent ?? '' };
  log.line(`--- ${runId} ${holder.agent}`);
  const stopping = new AbortController();
  let why: EndCause | null = null;
  const end = (cause: EndCause) => {
    why ??= cause;
    stopping.abort();
  };
  const recorder = new SignalRecorder({ ledger, clock, log: logger, receive, holder, output: log });
  const { sessionId, taskId } = execution.order;
  const watch = watchRun({
    order: execution.order,
    reader: reader ?? SILENT,
    spentBefore: countedBy(execution),
    clock,
    timer,
    stop: stopping.signal,
    progress: world.progress.of(task.id, (progress) => {
      const { kind: _kind, isForSender, ...facts } = progress;
      recorder.announce('run.progressed', { ...facts, isForSender, session: sessionId, senderTask: taskId });
    }),
    onSignal: (signal) => recorder.record(signal),
    onNotice: ({ code, message }) => recorder.announce('run.warned', { code, message }),
  });
  const live = await start((line) => watch.line(line));
  const loops = startRunLoops(world, step, log);
  const ended = watch
    .until(live)
    .then((seen) => endedFact({ seen, why, step, atMs: clock.now().wallMs }))
    .finally(async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      log.flush();
    });
  return {
    process: live.identity && { pid: live.identity.pid, startTicks: live.identity.startTicks },
    ended,
    stop: (by) => end({ kind: 'stop', by }),
    receive: (signal) => watch.receive(signal),
    lose: () => end({ kind: 'loss' }),
  };
}
