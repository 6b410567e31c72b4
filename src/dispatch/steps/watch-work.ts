import type { AgentSignal, OutputReader } from '../../agents/agent-driver.ts';
import type { LiveProcess, ProcessSpec } from '../../agents/sandbox/sandbox.ts';
import type { Spend } from '../../domain/budget.ts';
import type { EndCause } from '../../domain/decisions/judge-exit.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import { RUN_BEAT_MS, RUN_LOG_FLUSH_MS } from '../../domain/limits.ts';
import { beatRun } from '../../operations/beat-run.ts';
import { noteRun } from '../../operations/note-run.ts';
import { faultFacts } from '../../platform/logger.ts';
import { Loop } from '../../platform/loop.ts';
import type { Work } from '../order-steps.ts';
import { RunLog } from '../run-log.ts';
import type { RunWorld } from '../run-world.ts';
import { watchRun } from '../watch-run.ts';
import { endedFact } from './ended-fact.ts';
import { hearAgent } from './hear-agent.ts';
import type { LaunchStep } from './launch-step.ts';
import { showProgress } from './show-progress.ts';

export interface WatchedStart {
  /** Null where nothing is going to be printed. */
  readonly reader: OutputReader | null;
  start(onLine: ProcessSpec['onLine']): Promise<LiveProcess>;
}

const SILENT: OutputReader = { line: () => [], end: () => [] };

/** A program from its start to the fact that it ended: what it prints is kept, heard and counted. */
export async function watchWork(world: RunWorld, step: LaunchStep, { reader, start }: WatchedStart): Promise<Work> {
  const { clock, timer, ledger, dataFolder } = world;
  const { task, runId, execution } = step;
  const log = new RunLog(dataFolder, task.id);
  log.line(`--- ${runId} ${execution.attempts.at(-1)?.agent ?? ''}`);
  const stopping = new AbortController();
  let why: EndCause | null = null;
  const end = (cause: EndCause) => {
    why ??= cause;
    stopping.abort();
  };
  const note = (type: 'run.progressed' | 'run.warned', payload: Readonly<Record<string, unknown>>) =>
    void ledger.submit(noteRun, { taskId: task.id, runId, type, payload }).catch((error: unknown) => {
      world.log.log('run.note_failed', { task: task.id, ...faultFacts(error) });
    });
  const show = showProgress(clock, (progress) => note('run.progressed', { ...progress }));
  const watch = watchRun({
    order: execution.order,
    reader: reader ?? SILENT,
    spentBefore: spentBy(execution),
    clock,
    timer,
    stop: stopping.signal,
    progress: world.progress.of(task.id, (message) => note('run.progressed', { message })),
    onSignal: (signal: AgentSignal) => {
      show(signal);
      return hearAgent({ world, step, log }, signal);
    },
    onNotice: ({ code, message }) => note('run.warned', { code, message }),
  });
  const live = await start((line) => watch.line(line));
  const loops = startLoops(world, step, log);
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
    lose: () => end({ kind: 'loss' }),
  };
}

/** What it printed reaches its file, and its heart beats in the ledger as long as the program lives. */
function startLoops(
  { timer, ledger, log: logger }: RunWorld,
  { task, runId, execution }: LaunchStep,
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

/** By the attempts before this one. */
function spentBy({ attempts }: Execution): Spend {
  const spends = attempts.flatMap(({ ended }) => (ended ? [ended.spend] : []));
  return {
    costUsd: spends.reduce((sum, { costUsd }) => sum + costUsd, 0),
    tokens: spends.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}
