import { RUN_BEAT_MS, RUN_LOG_FLUSH_MS } from '../../domain/limits.ts';
import { beatRun } from '../../operations/beat-run.ts';
import { faultFacts } from '../../platform/logger.ts';
import { Loop } from '../../platform/loop.ts';
import type { AttemptRequest, AttemptWorld, RunningAttempt } from './attempt.ts';
import { judgeEnd } from './attempt-end.ts';
import { planLaunch } from './launch-agent.ts';
import { SignalRecorder } from './record-signals.ts';
import { RunLog } from './run-log.ts';
import { Talk } from './talk.ts';
import { type ProcessWatch, watchProcess } from './watch-process.ts';

/** Starts the program of an agent and watches it to its end; its output and signals are recorded on the way. */
export async function startAttempt(world: AttemptWorld, request: AttemptRequest): Promise<RunningAttempt> {
  // The token is invalid before anybody learns that the run is over.
  const release = () => world.door()?.agents?.release(request.run.runId);
  try {
    const attempt = await runProcess(world, request);
    return { ...attempt, ended: attempt.ended.finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function runProcess(world: AttemptWorld, request: AttemptRequest): Promise<RunningAttempt> {
  const { clock, timer, dataFolder } = world;
  const { run, limits, stop } = request;
  const log = new RunLog(dataFolder, run.taskId);
  log.begin(run);
  const { conversation, start } = planLaunch(world, request);
  const recorder = new SignalRecorder({ ...world, holder: run, output: log });
  const watch = watchProcess({
    limits,
    talk: new Talk(conversation),
    clock,
    timer,
    stop,
    progress: world.progress.of(run.taskId, (progress) => recorder.sendProgress(progress, request.prompt)),
    onSignal(signal) {
      const recorded = recorder.record(signal);
      if (signal.kind === 'question' && signal.permission) refusePermission(watch, signal.id, signal.permission.refuse);
      return recorded;
    },
    onNotice: ({ code, message }) => recorder.announce('run.warned', { code, message }),
  });
  const live = await start((line) => watch.line(line));
  const loops = startLoops(world, request, log);
  const ended = watch
    .until(live)
    .then(async (seen) => {
      const { runId } = run;
      // The last messages of a run count while it still holds its task.
      await recorder.settled();
      return { kind: 'ended' as const, runId, ...judgeEnd({ seen, limits, stop }), at: clock.now().wallMs };
    })
    .finally(async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      log.flush();
    });
  const { identity } = live;
  return {
    process: identity && { pid: identity.pid, startTicks: identity.startTicks },
    ended,
    receive: (signal) => watch.receive(signal),
    tell: (told) => watch.tell(told),
  };
}

/** Nobody can be asked yet, and an agent that waits for an answer would wait until its timeout. */
function refusePermission(watch: ProcessWatch, question: string, option: string): void {
  watch.tell({ kind: 'answer', question, option });
}

/** Writes output to the log file and renews the lease while the process lives. */
function startLoops(world: AttemptWorld, { run }: AttemptRequest, log: RunLog): readonly Loop[] {
  const { timer, ledger, log: logger } = world;
  const { taskId, agent, runId } = run;
  const onFault = (error: unknown) => logger.log('run.watch_failed', { task: taskId, ...faultFacts(error) });
  const beat = () => ledger.submit(beatRun, { taskId, agent, runId });
  const loops = [
    new Loop({ timer, everyMs: RUN_LOG_FLUSH_MS, tick: async () => log.flush(), onFault }),
    new Loop({ timer, everyMs: RUN_BEAT_MS, tick: beat, onFault }),
  ];
  for (const loop of loops) loop.start();
  return loops;
}
