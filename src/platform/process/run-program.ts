import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { findProgram, pathFor } from './find-program.ts';
import { awaitDescriptors } from './machine-limits.ts';

export interface ProgramCall {
  /** The program is found outside of cwd, where an agent may have put one of the same name. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Beside PATH (without folders below cwd) and HOME; nothing else of this process's environment is passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: Uint8Array;
  readonly timeoutMs: number;
  /** More is thrown away while the program runs. */
  readonly outputBytesMax: number;
  /** Ends the program and its children. */
  readonly signal?: AbortSignal;
}

export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly isTimedOut: boolean;
  readonly isTruncated: boolean;
  /** Why it could not be started at all. */
  readonly startError: Error | null;
}

const STDERR_BYTES_MAX = 16 * 1024;
const NOT_STARTED = { exitCode: null, stdout: Buffer.alloc(0), stderr: '', isTimedOut: false, isTruncated: false };

/** Runs one of Baton's own tools to its end: argv and no shell, within a time, never more output than asked for. */
export async function runProgram(call: ProgramCall): Promise<ProgramEnd> {
  const [name = '', ...args] = call.argv;
  if (call.signal?.aborted) return { ...NOT_STARTED, startError: new Error('stopped before it was started') };
  const lack = await awaitDescriptors(3);
  if (lack !== null) return { ...NOT_STARTED, startError: lack };
  const program = findProgram(name, call.cwd);
  if (program === null) return { ...NOT_STARTED, startError: notFound(name) };
  return await new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: call.cwd,
      env: environmentOf(call),
      stdio: 'pipe',
      windowsHide: true,
      // The leader of a process group of its own: a signal to the group reaches its children too.
      // Ctrl-C of the terminal reaches Baton alone, which decides what ends.
      detached: true,
    });
    const forgetSignal = endGroupOn(call.signal, child);
    const stdout = new KeptOutput(call.outputBytesMax);
    const stderr = new KeptOutput(STDERR_BYTES_MAX);
    let isTimedOut = false;
    const timeout = setTimeout(() => {
      isTimedOut = true;
      child.kill('SIGKILL');
    }, call.timeoutMs);
    const end = (exitCode: number | null, startError: Error | null) => {
      clearTimeout(timeout);
      forgetSignal();
      const told = { stdout: stdout.bytes(), stderr: stderr.bytes().toString('utf8'), isTruncated: stdout.isFull };
      resolve({ exitCode, startError, isTimedOut, ...told });
    };
    child.on('error', (error) => end(null, error));
    child.on('close', (exitCode) => end(exitCode, null));
    // Where no descriptor is left there are no pipes, whatever the types say, and the error follows.
    const pipes: Partial<typeof child> = child;
    pipes.stdout?.on('data', (chunk: Buffer) => stdout.add(chunk));
    pipes.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
    // A program that ends before it has read everything: its exit code tells.
    pipes.stdin?.on('error', () => undefined);
    pipes.stdin?.end(call.input);
  });
}

function notFound(name: string): Error {
  return Object.assign(new Error(`${name} was not found on the PATH`), { code: 'ENOENT' });
}

/** Ends a process group when the signal says so; the answer stops listening. */
function endGroupOn(signal: AbortSignal | undefined, leader: ChildProcess): () => void {
  const end = () => {
    try {
      if (leader.pid !== undefined) process.kill(-leader.pid, 'SIGTERM');
    } catch {
      // Gone already, or on Windows, where there are no groups.
      leader.kill();
    }
  };
  signal?.addEventListener('abort', end, { once: true });
  return () => signal?.removeEventListener('abort', end);
}

class KeptOutput {
  readonly #bytesMax: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  add(chunk: Buffer): void {
    const room = this.#bytesMax - this.#bytes;
    if (room > 0) this.#chunks.push(chunk.length > room ? Buffer.from(chunk.subarray(0, room)) : chunk);
    this.#bytes += chunk.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

function environmentOf({ cwd, env }: Pick<ProgramCall, 'cwd' | 'env'>): NodeJS.ProcessEnv {
  const passedOn: NodeJS.ProcessEnv = { PATH: pathFor(cwd) };
  for (const name of ['HOME', 'XDG_CONFIG_HOME', 'SystemRoot', 'TMPDIR']) {
    passedOn[name] = process.env[name];
  }
  return { ...passedOn, ...env };
}

export interface PipeEnd {
  readonly exitCodes: readonly [number | null, number | null];
  readonly stderr: string;
  /** More passed from the first to the second than was allowed; both were ended. */
  readonly isTooMuch: boolean;
}

const STDERR_CHARACTERS_MAX = 4_096;

/** Runs two of Baton's own tools, the output of the first being the input of the second; of theirs nothing else is kept. */
export async function pipePrograms(from: ProgramCall, to: ProgramCall, bytesMax: number): Promise<PipeEnd> {
  const children = [from, to].map(({ argv: [name = '', ...args], cwd, env }) =>
    // A name that is not found is its own error: the PATH below has no folder with it either.
    spawn(findProgram(name, cwd) ?? name, args, {
      cwd,
      env: environmentOf({ cwd, env }),
      stdio: 'pipe',
      windowsHide: true,
      detached: true,
    }),
  );
  const forgetSignals = children.map((child) => endGroupOn(from.signal, child));
  const [first, second] = children as [(typeof children)[0], (typeof children)[0]];
  const endBoth = () => children.forEach((child) => void child.kill('SIGKILL'));
  const timeout = setTimeout(endBoth, Math.max(from.timeoutMs, to.timeoutMs));
  const ended = children.map((child) =>
    once(child, 'close').then(
      ([code]) => code as number | null,
      () => null,
    ),
  );
  let stderr = '';
  for (const child of children) {
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < STDERR_CHARACTERS_MAX) stderr += chunk.toString('utf8');
    });
  }
  second.stdout.resume();
  // A program that ends before it has read everything: its exit code tells.
  first.stdin.on('error', () => undefined).end(from.input);
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new Error('too much');
      yield chunk;
    }
  };
  await pipeline(first.stdout, counted, second.stdin).catch(endBoth);
  const exitCodes = (await Promise.all(ended)) as [number | null, number | null];
  clearTimeout(timeout);
  for (const forgetSignal of forgetSignals) forgetSignal();
  return { exitCodes, stderr: stderr.trim(), isTooMuch: bytes > bytesMax };
}
