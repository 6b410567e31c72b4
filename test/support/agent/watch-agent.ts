import { randomUUID } from 'node:crypto';
import type { AgentDriver, Launch } from '../../../src/agents/agent-driver.ts';
import { OpenSandbox } from '../../../src/agents/sandbox/open/open-sandbox.ts';
import type { LiveProcess, Sandbox } from '../../../src/agents/sandbox/sandbox.ts';
import type { StopReason } from '../../../src/dispatch/attempt/attempt.ts';
import type { LimitNotice } from '../../../src/dispatch/attempt/limit-notice.ts';
import { ProgressGate } from '../../../src/dispatch/attempt/progress-gates.ts';
import { Talk } from '../../../src/dispatch/attempt/talk.ts';
import {
  type ProcessWatch,
  type WatchEnd,
  type WatchParts,
  watchProcess,
} from '../../../src/dispatch/attempt/watch-process.ts';
import { OrderStop } from '../../../src/dispatch/order-stop.ts';
import type { AgentSignal } from '../../../src/domain/agent/agent-signal.ts';
import type { Spend } from '../../../src/domain/order/budget.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { anOrder } from '../order/an-order.ts';
import { aGrant } from './a-launch.ts';

export interface WatchedAgent {
  readonly watch: ProcessWatch;
  readonly process: LiveProcess;
  readonly ended: Promise<WatchEnd>;
  readonly signals: readonly AgentSignal[];
  readonly notices: readonly LimitNotice[];
  readonly sentProgress: readonly number[];
  /** How often the watch has ended the process. */
  readonly stops: number;
  /** Asks for its end. */
  stop(reason?: StopReason): void;
  /** Resolves with the first signal of this kind. */
  heard(kind: AgentSignal['kind']): Promise<AgentSignal>;
}

interface Changes extends Partial<Pick<WatchParts, 'clock' | 'timer'>> {
  readonly sandbox?: Sandbox;
  readonly spentBefore?: Spend;
}

/** Starts an agent as its driver plans it and watches it to its end, with the system's own clock unless told otherwise. */
export async function watchAgent(driver: AgentDriver, request: Launch, changes: Changes = {}): Promise<WatchedAgent> {
  const { clock = systemClock(), timer = systemTimer(), sandbox = new OpenSandbox() } = changes;
  const plan = driver.plan(request);
  if (isRefusal(plan)) throw new Error(plan.message);
  const signals: AgentSignal[] = [];
  const notices: LimitNotice[] = [];
  const sentProgress: number[] = [];
  const waiting: { kind: string; resolve(signal: AgentSignal): void }[] = [];
  const stopping = new OrderStop();
  const { policy, budget } = request.prompt.ordered?.order ?? anOrder();
  const watch = watchProcess({
    limits: { policy, budget, spentBefore: changes.spentBefore ?? { costUsd: 0, tokens: 0 } },
    talk: new Talk(driver.converse(request)),
    clock,
    timer,
    ...stopping.signals,
    progress: new ProgressGate({ clock, timer, send: ({ percentage }) => void sentProgress.push(percentage ?? 0) }),
    onSignal(signal) {
      signals.push(signal);
      for (const each of waiting) if (each.kind === signal.kind) each.resolve(signal);
    },
    onNotice: (notice) => void notices.push(notice),
  });
  const { workspace } = request;
  const live = await sandbox.start({
    argv: plan.argv,
    cwd: workspace,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', BATON_RUN: `watched-${randomUUID()}`, ...plan.env },
    stdin: plan.stdin,
    keepsStdinOpen: plan.keepsStdinOpen ?? false,
    secrets: [],
    grant: { ...aGrant(workspace), readPaths: [workspace, ...plan.readPaths] },
    onLine: (line) => watch.line(line),
  });
  let stops = 0;
  const stop = () => {
    stops++;
    return live.stop();
  };
  const process = {
    identity: live.identity,
    get hasExited() {
      return live.hasExited;
    },
    ended: live.ended,
    stop,
    kill: () => live.kill(),
    write: (text: string) => live.write(text),
    closeStdin: () => live.closeStdin(),
  };
  return {
    watch,
    process,
    get stops() {
      return stops;
    },
    signals,
    notices,
    sentProgress,
    ended: watch.until(process),
    stop: (reason = { kind: 'stop', by: 'operator' }) => stopping.abort(reason),
    heard(kind) {
      const found = signals.find((signal) => signal.kind === kind);
      return found ? Promise.resolve(found) : new Promise((resolve) => waiting.push({ kind, resolve }));
    },
  };
}
