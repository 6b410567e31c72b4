import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { awaitDescriptors } from '../../platform/free-descriptors.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Launched {
  readonly kind: 'launched';
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
}

export type Launch = Launched | { readonly kind: 'failed'; readonly reason: string };

/** Whatever the system says to a start (ENOENT, EACCES, EMFILE, E2BIG …) is an answer, not an error that is thrown. */
export async function launch(file: string, args: readonly string[], options: SpawnOptions): Promise<Launch> {
  const lack = await awaitDescriptors(Array.isArray(options.stdio) ? options.stdio.length : 3);
  if (lack !== null) return failed(lack);
  let child: ChildProcess;
  try {
    child = spawn(file, args, options);
  } catch (error) {
    return failed(error);
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return new Promise((resolve) => {
    child.once('spawn', () => resolve({ kind: 'launched', child, exited }));
    // Stays on: a signal that could not be sent is told here too, and the exit decides.
    child.on('error', (error) => resolve(failed(error)));
  });
}

function failed(error: unknown): Launch {
  const { code, message } = error as NodeJS.ErrnoException;
  return { kind: 'failed', reason: code ? `the system did not start it (${code})` : message };
}
