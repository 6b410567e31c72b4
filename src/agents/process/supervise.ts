import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { PROCESS_DRAIN_MS_MAX, PROCESS_STOP_GRACE_MS } from '../../domain/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { waitAtMost } from '../../platform/wait-at-most.ts';
import type { LiveProcess, ProcessEnd, ProcessIdentity, ProcessSpec } from '../sandbox/sandbox.ts';
import type { Exit } from './launch.ts';
import { type OutputLines, readOutput } from './output-lines.ts';
import { signalProcess } from './process-table.ts';

/** What a kind of sandbox knows about a process that it started. */
export interface Hold {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  /** Known once the process itself runs. */
  identity(): ProcessIdentity | null;
  /** Ends everything at once, as far as one call can. */
  kill(): void;
  /** After the exit: resolves when none of its descendants is left and nothing else of it remains. */
  clear(): Promise<void>;
  /** The exit of the process itself, where the sandbox around it tells it in its own way. */
  translate(exit: Exit): Exit;
}

/** Watches a process to its end: feeds it, reads it, and leaves nothing of it behind. */
export class Supervised implements LiveProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #hold: Hold;
  readonly #output: OutputLines;
  readonly #faults: unknown[] = [];
  #hasExited = false;

  constructor(hold: Hold, spec: ProcessSpec, clock: Clock) {
    this.#hold = hold;
    const { stdin, stdout, stderr } = hold.child as { stdin: Writable; stdout: Readable; stderr: Readable };
    this.#output = readOutput({ stdout, stderr }, spec, (error) => this.#fail(error));
    feed(stdin, spec.stdin);
    this.ended = this.#watch(clock);
    // Whoever only stops a process need not hear that its reader failed.
    this.ended.catch(() => {});
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  get identity(): ProcessIdentity | null {
    return this.#hold.identity();
  }

  kill(): void {
    this.#hold.kill();
  }

  async stop(): Promise<void> {
    const identity = this.identity;
    // One that was stopped hears nothing until it goes on.
    if (identity && signalProcess(identity, 'SIGTERM')) signalProcess(identity, 'SIGCONT');
    const over = this.ended.catch(() => {});
    if (identity && (await waitAtMost(over, PROCESS_STOP_GRACE_MS))) return;
    this.kill();
    await over;
  }

  async #watch(clock: Clock): Promise<ProcessEnd> {
    const startedAt = clock.now().monotonicMs;
    const { code, signal } = this.#hold.translate(await this.#hold.exited);
    this.#hasExited = true;
    const durationMs = clock.now().monotonicMs - startedAt;
    // What it left behind goes first: it may hold the pipes that are drained.
    this.#hold.kill();
    this.#output.drain();
    await waitAtMost(this.#output.closed, PROCESS_DRAIN_MS_MAX);
    this.#output.end();
    this.#hold.child.stdin?.destroy();
    await this.#hold.clear();
    if (this.#faults.length > 0) throw this.#faults[0];
    return { kind: 'exited', exitCode: code, signal, durationMs };
  }

  #fail(error: unknown): void {
    this.#faults.push(error);
    this.kill();
  }
}

/** A process that does not read, or is gone, breaks the pipe: its exit tells what became of it. */
function feed(stdin: Writable, text: string): void {
  stdin.on('error', () => stdin.destroy());
  stdin.end(text);
}

/** A process that never was. */
export function notStarted(reason: string): LiveProcess {
  return {
    identity: null,
    hasExited: true,
    ended: Promise.resolve({ kind: 'not-started', reason }),
    stop: async () => {},
    kill: () => {},
  };
}
