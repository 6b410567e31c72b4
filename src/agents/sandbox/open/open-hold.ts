import type { ChildProcess } from 'node:child_process';
import { PROCESS_SWEEP_EVERY_MS, PROCESS_SWEEP_MS_MAX, PROCESS_TREE_LOOK_MS } from '../../../domain/limits.ts';
import type { Timer } from '../../../platform/timer.ts';
import { Descendants } from '../../process/descendants.ts';
import type { Exit, Launched } from '../../process/launch.ts';
import { identify, signalProcess } from '../../process/process-table.ts';
import type { Hold } from '../../process/supervise.ts';
import type { ProcessIdentity } from '../sandbox.ts';

/** A process with nothing around it: who its descendants are is looked up, again and again while it lives. */
export class OpenHold implements Hold {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly #identity: ProcessIdentity | null;
  readonly #family: Descendants | null;
  readonly #timer: Timer;
  #cancelLook: () => void = () => {};
  /** None was found the last time; what has no process left can start none. */
  #isClear = false;

  constructor({ child, exited }: Launched, mark: () => string | null, timer: Timer) {
    this.child = child;
    this.exited = exited;
    this.#timer = timer;
    this.#identity = identify(child.pid ?? 0);
    this.#family = this.#identity && new Descendants(this.#identity, mark);
    this.#lookAgain();
    void exited.then(() => this.#cancelLook());
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

  /** Again until none is found: one that forks while the others die has children that nobody saw. */
  async clear(): Promise<void> {
    if (this.#isClear) return;
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
