import type { ChildProcess } from 'node:child_process';
import { PROCESS_SWEEP_EVERY_MS, PROCESS_SWEEP_MS_MAX, PROCESS_TREE_LOOK_MS } from '../../../domain/limits.ts';
import type { Timer } from '../../../platform/timer.ts';
import { Descendants } from '../../process/descendants.ts';
import type { Exit, Launched } from '../../process/launch.ts';
import { identify, signalProcess } from '../../process/process-table.ts';
import type { Hold } from '../../process/supervise.ts';
import type { ProcessIdentity } from '../sandbox.ts';
import type { Guard } from './guard.ts';

export interface OpenParts {
  readonly launched: Launched;
  readonly guard: Guard;
  readonly timer: Timer;
  /** The `NAME=value` that tells whose an orphan is; null while it does not. */
  mark(): string | null;
}

/** A process with nothing around it: who its descendants are is looked up, again and again while it lives. */
export class OpenHold implements Hold {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly #identity: ProcessIdentity | null;
  readonly #family: Descendants | null;
  readonly #guard: Guard;
  readonly #timer: Timer;
  #cancelLook: () => void = () => {};
  /** None was found the last time; what has no process left can start none. */
  #isClear = false;

  constructor({ launched, guard, timer, mark }: OpenParts) {
    this.child = launched.child;
    this.exited = launched.exited;
    this.#guard = guard;
    this.#timer = timer;
    this.#identity = identify(this.child.pid ?? 0);
    this.#family = this.#identity && new Descendants(this.#identity, mark);
    this.#lookAgain();
    void this.exited.then(() => this.#cancelLook());
  }

  identity(): ProcessIdentity | null {
    return this.#identity;
  }

  translate(exit: Exit): Exit {
    return exit;
  }

  kill(): void {
    // Its number is its own until its exit is told.
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    const left = this.#family?.find() ?? [];
    for (const each of left) signalProcess(each, 'SIGKILL');
    this.#isClear = left.length === 0;
  }

  async clear(): Promise<void> {
    if (!this.#isClear) await this.#endAll();
    await this.#guard.release();
  }

  /** Again until none is found: one that forks while the others die has children that nobody saw. */
  async #endAll(): Promise<void> {
    for (let waitedMs = 0; waitedMs < PROCESS_SWEEP_MS_MAX; waitedMs += PROCESS_SWEEP_EVERY_MS) {
      const left = this.#family?.find() ?? [];
      if (left.length === 0) return;
      for (const each of left) signalProcess(each, 'SIGKILL');
      await this.#timer.pause(PROCESS_SWEEP_EVERY_MS);
    }
  }

  #lookAgain(): void {
    this.#cancelLook = this.#timer.after(PROCESS_TREE_LOOK_MS, () => {
      this.#family?.look();
      this.#lookAgain();
    });
  }
}
