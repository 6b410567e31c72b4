import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { PROCESS_SWEEP_MS_MAX } from '../../../domain/process-limits.ts';
import type { Timer } from '../../../platform/timer.ts';
import { isRunning } from '../../process/process-table.ts';
import type { Exit, SpawnedProcess } from '../../process/spawn-process.ts';
import type { Hold } from '../../process/supervise.ts';
import type { ProcessIdentity } from '../sandbox.ts';
import type { ResourceGroup } from './resource-group.ts';

export interface BubblewrapParts {
  readonly spawned: SpawnedProcess;
  /** The sandbox's init: when it ends, the system ends all others. */
  readonly first: ProcessIdentity;
  readonly agent: ProcessIdentity | null;
  readonly timer: Timer;
  /** Bounds the sandbox's init, and so what it starts from then on; null where no cgroup can be made. */
  readonly group: Promise<ResourceGroup | null>;
  cleanUp(): Promise<void>;
}

const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

/** Holds a process in a PID namespace of its own, which no descendant outlives. */
export class BubblewrapHold implements Hold {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly #parts: BubblewrapParts;
  readonly #group: ResourceGroup | null;

  /** Called while the program waits at the gate. */
  static async take(parts: BubblewrapParts): Promise<BubblewrapHold> {
    const group = await parts.group;
    // It was started before its init was in the group.
    if (parts.agent && group?.holds(parts.agent.pid) === false) await group.add(parts.agent.pid);
    return new BubblewrapHold(parts, group);
  }

  private constructor(parts: BubblewrapParts, group: ResourceGroup | null) {
    this.#parts = parts;
    this.#group = group;
    this.child = parts.spawned.child;
    this.exited = parts.spawned.exited;
  }

  identity(): ProcessIdentity | null {
    return this.#parts.agent;
  }

  /** Bubblewrap reports a signal as shells do, as 128 and its number. */
  translate({ code, signal }: Exit): Exit {
    const name = code !== null && code > 128 ? SIGNAL_NAMES.get(code - 128) : undefined;
    return name === undefined ? { code, signal } : { code: null, signal: name };
  }

  /** The sandbox dies with bubblewrap, and bubblewrap with this process. */
  kill(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
  }

  async clear(): Promise<void> {
    const { first, cleanUp } = this.#parts;
    await this.#until(() => !isRunning(first));
    await this.#until(() => this.#group?.remove() ?? true);
    await cleanUp();
  }

  async #until(isDone: () => boolean): Promise<void> {
    for (let waitedMs = 0; waitedMs < PROCESS_SWEEP_MS_MAX && !isDone(); waitedMs += 1)
      await this.#parts.timer.pause(1);
  }
}
