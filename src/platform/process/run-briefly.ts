import { type ChildProcess, spawn } from 'node:child_process';

export interface BriefCall {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly outputBytesMax: number;
}

export interface BriefEnd {
  /** Null where it was ended, or never started. */
  readonly exitCode: number | null;
  /** Both of its streams, as far as the limit. */
  readonly output: string;
  readonly isTimedOut: boolean;
  /** Such as ENOEXEC or EACCES; null if it started. */
  readonly startError: string | null;
}

/**
 * Runs a program that may hang, in the root folder and without input. At the time limit its whole process group is killed;
 * the answer does not wait for a child that left the group and keeps the pipes open.
 */
export function runBriefly({ file, args, env, timeoutMs, outputBytesMax }: BriefCall): Promise<BriefEnd> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = Buffer.alloc(0);
    const end = (rest: Omit<BriefEnd, 'output'>) => {
      clearTimeout(limit);
      for (const pipe of [child.stdout, child.stderr]) pipe?.destroy();
      resolve({ ...rest, output: output.toString('utf8') });
    };
    const limit = setTimeout(() => {
      killGroup(child);
      end({ exitCode: null, isTimedOut: true, startError: null });
    }, timeoutMs);
    for (const pipe of [child.stdout, child.stderr])
      pipe?.on('data', (chunk: Buffer) => {
        if (output.length < outputBytesMax) output = Buffer.concat([output, chunk]).subarray(0, outputBytesMax);
      });
    child.on('error', (error: NodeJS.ErrnoException) =>
      end({ exitCode: null, isTimedOut: false, startError: error.code ?? error.message }),
    );
    child.on('close', (exitCode) => end({ exitCode, isTimedOut: false, startError: null }));
  });
}

function killGroup(leader: ChildProcess): void {
  try {
    if (leader.pid !== undefined) process.kill(-leader.pid, 'SIGKILL');
  } catch {
    // Gone already, or on Windows, where there are no groups.
    leader.kill('SIGKILL');
  }
}
