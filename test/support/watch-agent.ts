import { randomUUID } from 'node:crypto';
import type { AgentDriver, LaunchRequest } from '../../src/agents/agent-driver.ts';
import { OpenSandbox } from '../../src/agents/sandbox/open/open-sandbox.ts';
import type { LiveProcess, Sandbox } from '../../src/agents/sandbox/sandbox.ts';
import { ProgressGate } from '../../src/dispatch/progress-gate.ts';
import {
  type RunWatch,
  type WatchEnd,
  type WatchNotice,
  type WatchParts,
  watchRun,
} from '../../src/dispatch/watch-run.ts';
import type { AgentSignal } from '../../src/domain/agent-signal.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemTimer } from '../../src/platform/timer.ts';

export interface WatchedAgent {
  readonly watch: RunWatch;
  readonly process: LiveProcess;
  readonly ended: Promise<WatchEnd>;
  readonly signals: readonly AgentSignal[];
  readonly notices: readonly WatchNotice[];
  readonly sentProgress: readonly number[];
  /** How often the watch has ended the process. */
  readonly stops: number;
  /** Asks for its end. */
  stop(): void;
  /** Resolves with the first signal of this kind. */
  heard(kind: AgentSignal['kind']): Promise<AgentSignal>;
}

type Changes = Partial<Pick<WatchParts, 'clock' | 'timer' | 'spentBefore'>> & { readonly sandbox?: Sandbox };

/** Starts an agent as its driver plans it and watches it to its end, with the system's own clock unless told otherwise. */
export async function watchAgent(
  driver: AgentDriver,
  request: LaunchRequest,
  changes: Changes = {},
): Promise<WatchedAgent> {
  const { clock = systemClock(), timer = systemTimer(), sandbox = new OpenSandbox() } = changes;
  const plan = driver.plan(request);
  if (isRefusal(plan)) throw new Error(plan.message);
  const signals: AgentSignal[] = [];
  const notices: WatchNotice[] = [];
  const sentProgress: number[] = [];
  const waiting: { kind: string; resolve(signal: AgentSignal): void }[] = [];
  const abort = new AbortController();
  const watch = watchRun({
    order: request.order,
    reader: driver.reader(request),
    spentBefore: changes.spentBefore ?? { costUsd: 0, tokens: 0 },
    clock,
    timer,
    stop: abort.signal,
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
    secrets: [],
    grant: {
      readPaths: [workspace, ...plan.readPaths],
      writePaths: [workspace],
      mounts: [],
      hiddenPaths: [],
      network: { level: 'NONE', hosts: [], loopbackPorts: [] },
    },
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
    stop: () => abort.abort(),
    heard(kind) {
      const found = signals.find((signal) => signal.kind === kind);
      return found ? Promise.resolve(found) : new Promise((resolve) => waiting.push({ kind, resolve }));
    },
  };
}
