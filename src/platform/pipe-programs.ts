import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { endGroupOn, environmentOf, type ProgramCall } from './run-program.ts';

export interface PipeEnd {
  readonly exitCodes: readonly [number | null, number | null];
  readonly stderr: string;
  /** More passed from the first to the second than was allowed; both were ended. */
  readonly isTooMuch: boolean;
}

const STDERR_CHARACTERS_MAX = 4_096;

/** Runs two of Baton's own tools, the output of the first being the input of the second; of theirs nothing else is kept. */
export async function pipePrograms(from: ProgramCall, to: ProgramCall, bytesMax: number): Promise<PipeEnd> {
  const children = [from, to].map(({ argv: [program = '', ...args], cwd, env, signal }) =>
    spawn(program, args, {
      cwd,
      env: environmentOf(env),
      stdio: 'pipe',
      windowsHide: true,
      detached: signal !== undefined,
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
