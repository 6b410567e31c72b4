import type { AgentSignal } from '../../domain/agent/agent-signal.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { selectQuotaHold } from '../../ledger/statements/quota-holds.ts';
import { liftQuota } from '../../operations/order/record-fact.ts';
import { faultFacts } from '../../platform/logger.ts';
import type { AgentWorld, BoundedLaunch, EndedFact, RunningAttempt } from './attempt.ts';
import { judgeEnd } from './attempt-end.ts';
import { type PlannedLaunch, planLaunch } from './launch-agent.ts';
import { ModelReach } from './model-reach.ts';
import { isAnswer } from './run-tally.ts';
import { type AgentInput, Talk } from './talk.ts';
import { type WatchParts, watchProcess } from './watch-process.ts';

/** Hears everything that an agent process says and does. */
export interface AgentListener extends Pick<WatchParts, 'progress' | 'onNotice'> {
  /** A line of the program as it was printed. */
  onLine(text: string): void;
  /** In order. While a returned promise is pending, the agent waits. */
  onSignal(signal: AgentSignal): void | Promise<void>;
  /** The process is gone, and its end is judged when this resolves. */
  onEnd(): Promise<void>;
}

/** A running agent process, whose listener hears it. */
export interface RunningAgent extends Pick<RunningAttempt, 'process' | 'ended' | 'receive' | 'tell'> {
  /** While the agent waits for a person, its silence does not count. */
  setWaiting(isWaiting: boolean): void;
}

/** A warning names at most this many refused hosts. */
const REFUSED_HOSTS_MAX = 5;

/** Starts the program of an agent and watches it to its end. Nothing is recorded but by the listener. */
export async function runAgent(
  world: AgentWorld,
  request: BoundedLaunch,
  listenerOf: (talk: Pick<RunningAgent, 'tell' | 'setWaiting'>) => AgentListener,
): Promise<RunningAgent> {
  const { clock, timer } = world;
  const { run, limits, stop, sparing } = request;
  const { conversation, isVendor, modelHosts, start } = planLaunch(world, request);
  const reach = new ModelReach(clock, modelHosts);
  const served = liftOnAnswer(world, request);
  const isQuiet = quietHosts(world.roster, request);
  const tell = (told: AgentInput): boolean => watch.tell(told);
  const setWaiting = (isWaiting: boolean): void => watch.setWaiting(isWaiting);
  const listener = listenerOf({ tell, setWaiting });
  const watch = watchProcess({
    limits,
    talk: new Talk(conversation),
    clock,
    timer,
    stop,
    ...(sparing && { sparing }),
    progress: listener.progress,
    onSignal(signal) {
      served(signal);
      return listener.onSignal(signal);
    },
    onNotice: (notice) => listener.onNotice(notice),
  });
  const refusedHosts = new Set<string>();
  let hasPrinted = false;
  const live = await start({
    onLine(line) {
      hasPrinted ||= line.stream === 'stdout';
      listener.onLine(line.text);
      return watch.line(line);
    },
    onTriedHost(host, problem) {
      for (const signal of reach.tried(host, problem)) watch.receive(signal);
    },
    onRefusedHost(host) {
      if (refusedHosts.size < REFUSED_HOSTS_MAX && !isQuiet(host, hasPrinted)) refusedHosts.add(host);
    },
  });
  const ended = watch.until(live).then(async (seen): Promise<EndedFact> => {
    await listener.onEnd();
    const { wallMs } = clock.now();
    // saop:masking: what an agent claims goes into reports and receipts.
    return {
      kind: 'ended',
      runId: run.runId,
      ...maskValue(
        judgeEnd({ seen, request, isVendor, wallMs, refusedHosts: [...refusedHosts], unreached: reach.problem }),
      ),
      at: wallMs,
    };
  });
  return { process: processOf(live), ended, receive: (signal) => watch.receive(signal), tell, setWaiting };
}

/** Tells the hosts that a vendor's program asks by itself: a person can do nothing about their refusal. */
function quietHosts({ drivers }: AgentWorld['roster'], { agent }: BoundedLaunch) {
  const { statisticsHosts = [], pluginDomain = null } = drivers[agent.driver] ?? {};
  return (host: string, hasPrinted: boolean): boolean => {
    const name = host.replace(/:\d+$/, '');
    // A command of the agent comes after the first words of its model.
    const isPlugin = pluginDomain !== null && !hasPrinted && name.endsWith(`.${pluginDomain}`);
    return isPlugin || statisticsHosts.includes(name);
  };
}

function processOf({ identity }: Awaited<ReturnType<PlannedLaunch['start']>>): RunningAttempt['process'] {
  return identity && { pid: identity.pid, startTicks: identity.startTicks };
}

/** Hears the signals of a run: with the first answer of its model, the tasks that wait for the same account may start. */
function liftOnAnswer(
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
