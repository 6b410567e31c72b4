import { PROCESS_SWEEP_EVERY_MS, PROCESS_SWEEP_MS_MAX } from '../../domain/process-limits.ts';
import { systemTimer, type Timer } from '../../platform/timer.ts';
import type { ProcessIdentity } from '../sandbox/sandbox.ts';
import {
  identify,
  isRunning,
  type ProcessRow,
  readProcess,
  readProcesses,
  signalProcess,
  startedWith,
} from './process-table.ts';

/** A run that was live when its node ended, with its process if that is known. */
export interface AbandonedRun {
  readonly runId: string;
  readonly identity: ProcessIdentity | null;
}

export interface Sweep {
  readonly ended: readonly ProcessIdentity[];
  /** Still running: owned by another user, or stuck in the kernel. */
  readonly left: readonly ProcessIdentity[];
}

/**
 * Kills what runs left behind when their node was killed: their processes, the descendants of those, and every process
 * with the BATON_RUN of one of them. A process that merely reused the pid of one is not touched.
 */
export async function sweepProcesses(runs: readonly AbandonedRun[], timer: Timer = systemTimer()): Promise<Sweep> {
  const ended = new Map<number, ProcessIdentity>();
  let left = findAbandoned(runs);
  for (let waitedMs = 0; left.length > 0 && waitedMs < PROCESS_SWEEP_MS_MAX; waitedMs += PROCESS_SWEEP_EVERY_MS) {
    for (const identity of left) if (signalProcess(identity, 'SIGKILL')) ended.set(identity.pid, identity);
    await timer.pause(PROCESS_SWEEP_EVERY_MS);
    left = findAbandoned(runs);
  }
  return { ended: [...ended.values()].filter((identity) => !isRunning(identity)), left };
}

function findAbandoned(runs: readonly AbandonedRun[]): ProcessIdentity[] {
  if (runs.length === 0) return [];
  const rows = readProcesses();
  const own = ownAncestry();
  const roots = new Set(runs.flatMap(({ identity }) => (identity && isRunning(identity) ? [identity.pid] : [])));
  const marks = runs.map(({ runId }) => `BATON_RUN=${runId}`);
  const isMarked = ({ pid }: ProcessRow) => marks.some((mark) => startedWith(pid, mark));
  const found = new Set(rows.filter((row) => isRootOrBeside(row, roots) || isMarked(row)).map(({ pid }) => pid));
  addDescendants(found, rows);
  return [...found].filter((pid) => !own.has(pid)).flatMap((pid) => identify(pid) ?? []);
}

function isRootOrBeside({ pid, group, session }: ProcessRow, roots: ReadonlySet<number>): boolean {
  return roots.has(pid) || roots.has(group) || roots.has(session);
}

function addDescendants(found: Set<number>, rows: readonly ProcessRow[]): void {
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of rows) if (found.has(parent)) found.add(pid);
  }
}

/** This process and its ancestors: a node that an agent started must not kill itself. */
function ownAncestry(): Set<number> {
  const ancestry = new Set<number>();
  for (let pid = process.pid; pid > 0 && !ancestry.has(pid); pid = readProcess(pid)?.parent ?? 0) ancestry.add(pid);
  return ancestry;
}
