import type { ChildProcess } from 'node:child_process';
import { PROCESS_SWEEP_EVERY_MS, PROCESS_SWEEP_MS_MAX, PROCESS_TREE_LOOK_MS } from '../../../domain/process-limits.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { systemTimer, type Timer } from '../../../platform/timer.ts';
import { Descendants } from '../../process/descendants.ts';
import { identify, signalProcess } from '../../process/process-table.ts';
import { resolveCommand } from '../../process/resolve-command.ts';
import { type Exit, type SpawnedProcess, spawnProcess } from '../../process/spawn-process.ts';
import { type Hold, notStarted, SupervisedProcess } from '../../process/supervise.ts';
import type { LiveProcess, ProcessIdentity, ProcessSpec, Sandbox } from '../sandbox.ts';
import { type Guard, startGuard } from './guard.ts';

interface Mark {
  readonly text: string | null;
  /** The text while only one live process uses it, so that it identifies its orphans. */
  unique(): string | null;
  release(): void;
}

/** No sandbox: the process may do whatever its user may. It is still watched, and ended with its descendants. */
export class OpenSandbox implements Sandbox {
  readonly name = 'none';
  readonly #clock: Clock;
  readonly #timer: Timer;
  /** Counts live processes by mark: while two share one, it does not identify an orphan. */
  readonly #marks = new Map<string, number>();

  constructor(clock: Clock = systemClock(), timer: Timer = systemTimer()) {
    this.#clock = clock;
    this.#timer = timer;
  }

  async start(spec: ProcessSpec): Promise<LiveProcess> {
    const command = resolveCommand(spec);
    if (command.kind === 'unusable') return notStarted(command.reason, command.isMissing);
    const spawned = await spawnProcess(command.file, spec.argv.slice(1), {
      argv0: spec.argv[0],
      cwd: spec.cwd,
      env: { ...spec.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A session and group of its own, which its descendants share unless they leave on purpose.
      detached: true,
    });
    if (spawned.kind === 'failed') return notStarted(spawned.reason);
    const mark = this.#mark(spec.env.BATON_RUN);
    const guard = startGuard({ pid: spawned.child.pid ?? 0, mark: mark.text });
    const hold = new OpenHold({ spawned, guard, mark: () => mark.unique(), timer: this.#timer });
    const live = new SupervisedProcess(hold, spec, this.#clock);
    live.ended.catch(() => {}).finally(() => mark.release());
    return live;
  }

  /** A process outside any run, such as a check before the first, has no mark. */
  #mark(run: string | undefined): Mark {
    if (!run) return { text: null, unique: () => null, release: () => {} };
    const mark = `BATON_RUN=${run}`;
    const add = (count: number) => this.#marks.set(mark, (this.#marks.get(mark) ?? 0) + count);
    add(1);
    return {
      text: mark,
      unique: () => (this.#marks.get(mark) === 1 ? mark : null),
      release: () => {
        add(-1);
        if (this.#marks.get(mark) === 0) this.#marks.delete(mark);
      },
    };
  }
}

interface OpenParts {
  readonly spawned: SpawnedProcess;
  readonly guard: Guard;
  readonly timer: Timer;
  /** The `NAME=value` that identifies orphans; null while several processes share it. */
  mark(): string | null;
}

/** Holds an unsandboxed process: scans for its descendants again and again while it lives. */
class OpenHold implements Hold {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly #identity: ProcessIdentity | null;
  readonly #family: Descendants | null;
  readonly #guard: Guard;
  readonly #timer: Timer;
  #cancelScan: () => void = () => {};
  /** The last scan found no descendant; nobody is left who could start one. */
  #isClear = false;

  constructor({ spawned, guard, timer, mark }: OpenParts) {
    this.child = spawned.child;
    this.exited = spawned.exited;
    this.#guard = guard;
    this.#timer = timer;
    this.#identity = identify(this.child.pid ?? 0);
    this.#family = this.#identity && new Descendants(this.#identity, mark);
    this.#scanAgain();
    void this.exited.then(() => this.#cancelScan());
  }

  identity(): ProcessIdentity | null {
    return this.#identity;
  }

  translate(exit: Exit): Exit {
    return exit;
  }

  kill(): void {
    // The system does not reuse its pid before its exit is reported.
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    const left = this.#family?.find() ?? [];
    for (const each of left) signalProcess(each, 'SIGKILL');
    this.#isClear = left.length === 0;
  }

  async clear(): Promise<void> {
    if (!this.#isClear) await this.#endAll();
    await this.#guard.release();
  }

  /** Repeats until none is found: a process that forks while others die has children that no scan saw. */
  async #endAll(): Promise<void> {
    for (let waitedMs = 0; waitedMs < PROCESS_SWEEP_MS_MAX; waitedMs += PROCESS_SWEEP_EVERY_MS) {
      const left = this.#family?.find() ?? [];
      if (left.length === 0) return;
      for (const each of left) signalProcess(each, 'SIGKILL');
      await this.#timer.pause(PROCESS_SWEEP_EVERY_MS);
    }
  }

  #scanAgain(): void {
    this.#cancelScan = this.#timer.after(PROCESS_TREE_LOOK_MS, () => {
      this.#family?.scan();
      this.#scanAgain();
    });
  }
}
