import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { PROCESS_DRAIN_MS_MAX, PROCESS_STOP_GRACE_MS } from '../../domain/process-limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { waitAtMost } from '../../platform/timer.ts';
import type { LiveProcess, ProcessEnd, ProcessIdentity, ProcessSpec } from '../sandbox/sandbox.ts';
import { type OutputLines, readOutput } from './output-lines.ts';
import { signalProcess } from './process-table.ts';
import type { Exit } from './spawn-process.ts';

/** A started process as its sandbox holds it. */
export interface Hold {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  /** Null until the program itself runs. */
  identity(): ProcessIdentity | null;
  /** Kills the process and every descendant known now. */
  kill(): void;
  /** After the exit: resolves when no descendant, file or group of the process remains. */
  clear(): Promise<void>;
  /** The exit of the program itself, where the sandbox reports it in a form of its own. */
  translate(exit: Exit): Exit;
}

/** Watches a process to its end: writes its stdin, reads its output, and leaves nothing of it behind. */
export class SupervisedProcess implements LiveProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #hold: Hold;
  readonly #output: OutputLines;
  readonly #faults: unknown[] = [];
  #hasExited = false;

  constructor(hold: Hold, spec: ProcessSpec, clock: Clock) {
    this.#hold = hold;
    const { stdin, stdout, stderr } = hold.child as { stdin: Writable; stdout: Readable; stderr: Readable };
    this.#output = readOutput({ stdout, stderr }, spec, (error) => this.#fail(error));
    // A process that does not read, or is gone, breaks the pipe; its exit is reported anyway.
    stdin.on('error', () => stdin.destroy());
    if (spec.stdin !== '') stdin.write(spec.stdin);
    if (!spec.keepsStdinOpen) stdin.end();
    this.ended = this.#watch(clock);
    // A caller that only stops a process need not handle a failure of onLine.
    this.ended.catch(() => {});
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  get identity(): ProcessIdentity | null {
    return this.#hold.identity();
  }

  write(text: string): void {
    const { stdin } = this.#hold.child;
    if (stdin?.writable) stdin.write(text);
  }

  closeStdin(): void {
    this.#hold.child.stdin?.end();
  }

  kill(): void {
    this.#hold.kill();
  }

  async stop(): Promise<void> {
    const identity = this.identity;
    // A suspended process receives SIGTERM only once it continues.
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
    // Descendants first: they may hold the pipes open that are drained next.
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

/** The answer for a process that could not be started. */
export function notStarted(reason: string, isMissing = false, isDenied = false): LiveProcess {
  return {
    identity: null,
    hasExited: true,
    ended: Promise.resolve({
      kind: 'not-started',
      reason,
      ...(isMissing && { isMissing }),
      ...(isDenied && { isDenied }),
    }),
    write: () => {},
    closeStdin: () => {},
    stop: async () => {},
    kill: () => {},
  };
}
