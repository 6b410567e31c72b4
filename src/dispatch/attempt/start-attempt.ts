import type { AgentSignal } from '../../domain/agent/agent-signal.ts';
import { RUN_BEAT_MS, RUN_LOG_FLUSH_MS, RUN_SIGN_MS } from '../../domain/limits.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { OVERLAP_LOOK_MS } from '../../domain/session/session-limits.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import { PRINTED_LINES_FLUSH_MS } from '../../domain/trace/trace-limits.ts';
import { beatRun } from '../../operations/run/beat-run.ts';
import { faultFacts } from '../../platform/logger.ts';
import { Loop } from '../../platform/loop.ts';
import { ChangeLooks } from '../../work/look-for-changes.ts';
import type { AttemptWorld, BoundedLaunch, RunningAttempt } from './attempt.ts';
import { Permissions } from './permissions.ts';
import { BeatGate } from './progress-gates.ts';
import { SignalRecorder } from './record-signals.ts';
import { type AgentListener, type RunningAgent, runAgent } from './run-agent.ts';
import type { RunLog } from './run-log.ts';
import { Story } from './story.ts';
import type { AgentInput } from './talk.ts';
import { MAIL_LOOK_MS, mailTeller } from './tell-mail.ts';
import { TurnStates } from './turn-states.ts';

/** Starts the program of an agent and watches it to its end; its output and signals are recorded on the way. */
export async function startAttempt(world: AttemptWorld, request: BoundedLaunch<RunHolder>): Promise<RunningAttempt> {
  // The token is invalid before anybody learns that the run is over.
  const release = () => world.talk.server()?.agents?.release(request.run.runId);
  try {
    const attempt = await runRecorded(world, request);
    return { ...attempt, ended: attempt.ended.finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function runRecorded(world: AttemptWorld, request: BoundedLaunch<RunHolder>): Promise<RunningAttempt> {
  const { runId, agent, holder } = request.run;
  const story = new Story({ ...world, ...world.live }, { owner: holder.taskId, runId, agent });
  // A node that is killed before the first tick of the loops has left a sign of life, too.
  story.log.flush();
  let tell: RunningAttempt['tell'] = () => false;
  let flushOutput: RecordingListener['flushOutput'] = async () => {};
  const attempt = await runAgent(world, request, (talk) => {
    tell = (told: AgentInput) => {
      const isTold = talk.tell(told);
      if (isTold) story.tell(told);
      return isTold;
    };
    const listener = recordingListener(world, request, { story, talk, tell });
    flushOutput = listener.flushOutput;
    return listener;
  });
  const looks = new ChangeLooks({ ...world, ...world.live }, { run: holder, recorded: request.recorded ?? null });
  const tellMail = world.roster.drivers[request.agent.driver]?.can.say
    ? mailTeller(world.talk.mail, { holder, tell })
    : null;
  const loops = startLoops(world, request, { log: story.log, flushOutput, looks, tellMail });
  const ended = attempt.ended.finally(async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    story.end();
  });
  return { process: attempt.process, receive: attempt.receive, tell, ended };
}

interface Recording {
  readonly story: Story;
  readonly talk: Pick<RunningAgent, 'setWaiting'>;
  readonly tell: RunningAttempt['tell'];
}

interface RecordingListener extends AgentListener {
  /** Adds the output so far to the trace. */
  readonly flushOutput: () => Promise<void>;
}

/** Records the signals of a task's run: as its story, in the ledger, and as questions to a person. */
function recordingListener(
  world: AttemptWorld,
  request: BoundedLaunch<RunHolder>,
  { story, talk, tell }: Recording,
): RecordingListener {
  const { holder } = request.run;
  const { log } = story;
  const states = new TurnStates({ ...world, ...world.live }, request);
  const account = request.account ?? null;
  const recorder = new SignalRecorder({ ...world, ...world.talk, holder, output: log, account, states, tell });
  const permissions = new Permissions({
    ...world,
    asking: world.talk.asking,
    request,
    tell,
    onWaiting(isWaiting) {
      talk.setWaiting(isWaiting);
      story.setWaiting(isWaiting);
    },
  });
  const { heartbeat } = request.limits.policy;
  const everyMs = heartbeat.enabled ? heartbeat.intervalSeconds * 1_000 : Number.POSITIVE_INFINITY;
  const beats = new BeatGate(world.clock, everyMs, () => recorder.progress.beat(request.prompt));
  return {
    progress: world.live.progress.of(holder.taskId, (progress) => recorder.progress.send(progress, request.prompt)),
    onLine(text) {
      log.raw(text);
      if (heartbeat.enabled) beats.take();
    },
    flushOutput: () => recorder.flushOutput(),
    onSignal(said) {
      const signal = maskedSignal(said);
      story.add(signal);
      const recorded = recorder.record(signal);
      if (signal.kind !== 'question' || !signal.permission) return recorded;
      return permissions.ask({ ...signal, permission: signal.permission });
    },
    onNotice: ({ code, message }) => recorder.announce('run.warned', { code, message }),
    // The last messages of a run count while it still holds its task.
    onEnd: async () => void (await Promise.all([recorder.settled(), permissions.close(), states.end()])),
  };
}

/** Kinds whose text is recorded as it came: masked where it is shown, or line by line in the log. */
const VERBATIM: ReadonlySet<AgentSignal['kind']> = new Set(['trace', 'message', 'output', 'vendor-session']);

/** saop:masking: before anything of it is cut, stored or shown. */
function maskedSignal(signal: AgentSignal): AgentSignal {
  return VERBATIM.has(signal.kind) ? signal : maskValue(signal);
}

/** The records of a run that are written while its process lives. */
interface LoopedRecords {
  readonly log: RunLog;
  /** Adds output to the trace. */
  flushOutput(): Promise<void>;
  readonly looks: ChangeLooks;
  /** Null for an agent that hears nothing while it works. */
  readonly tellMail: (() => Promise<void>) | null;
}

/** Writes output to the log file and to the trace, and renews the lease, while the process lives. */
function startLoops(
  world: AttemptWorld,
  { run }: BoundedLaunch<RunHolder>,
  { log, flushOutput, looks, tellMail }: LoopedRecords,
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
    new Loop({ timer, everyMs: OVERLAP_LOOK_MS, tick: () => looks.look(), onFault }),
  ];
  if (tellMail !== null) loops.push(new Loop({ timer, everyMs: MAIL_LOOK_MS, tick: tellMail, onFault }));
  for (const loop of loops) loop.start();
  return loops;
}
