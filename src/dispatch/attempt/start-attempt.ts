import type { AttemptRequest, AttemptWorld, RunningAttempt } from './attempt.ts';
import { judgeEnd } from './attempt-end.ts';
import { type PlannedLaunch, planLaunch } from './launch-agent.ts';
import { liftOnAnswer } from './lift-on-answer.ts';
import { Permissions } from './permissions.ts';
import { SignalRecorder } from './record-signals.ts';
import { startLoops } from './run-loops.ts';
import { Story } from './story.ts';
import { Talk, type Told } from './talk.ts';
import { watchProcess } from './watch-process.ts';

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
  const { clock, timer } = world;
  const { run, limits, stop } = request;
  const story = new Story(world, run);
  const { log } = story;
  const { conversation, isVendor, start } = planLaunch(world, request);
  const recorder = new SignalRecorder({ ...world, holder: run, output: log, account: request.account ?? null });
  const served = liftOnAnswer(world, request);
  const watch = watchProcess({
    limits,
    talk: new Talk(conversation),
    clock,
    timer,
    stop,
    progress: world.progress.of(run.taskId, (progress) => recorder.sendProgress(progress, request.prompt)),
    onSignal(signal) {
      story.add(signal);
      const recorded = recorder.record(signal);
      served(signal);
      if (signal.kind !== 'question' || !signal.permission) return recorded;
      return permissions.ask({ ...signal, permission: signal.permission });
    },
    onNotice: ({ code, message }) => recorder.announce('run.warned', { code, message }),
  });
  const tell = (told: Told): boolean => {
    const isTold = watch.tell(told);
    if (isTold) story.tell(told);
    return isTold;
  };
  const permissions = new Permissions({
    ...world,
    request,
    tell,
    onWaiting(isWaiting) {
      watch.setWaiting(isWaiting);
      story.setWaiting(isWaiting);
    },
  });
  const live = await start((line) => {
    log.raw(line.text);
    return watch.line(line);
  });
  const loops = startLoops(world, request, log);
  const ended = watch
    .until(live)
    .then(async (seen) => {
      // The last messages of a run count while it still holds its task.
      await Promise.all([recorder.settled(), permissions.close()]);
      const { wallMs } = clock.now();
      const judged = judgeEnd({ seen, request, isVendor, wallMs });
      return { kind: 'ended' as const, runId: run.runId, ...judged, at: wallMs };
    })
    .finally(async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      story.end();
    });
  return { process: processOf(live), ended, receive: (signal) => watch.receive(signal), tell };
}

function processOf({ identity }: Awaited<ReturnType<PlannedLaunch['start']>>): RunningAttempt['process'] {
  return identity && { pid: identity.pid, startTicks: identity.startTicks };
}
