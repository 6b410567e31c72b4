import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
export const BATON = `${ROOT}/bin/baton`;

/** The state folder of this suite: suites share no known folders with each other or with the developer. */
const stateHome = mkdtempSync(join(tmpdir(), 'baton-state-'));
process.env['XDG_STATE_HOME'] = stateHome;
process.on('exit', () => rmSync(stateHome, { recursive: true, force: true, maxRetries: 10 }));

export interface BatonCall {
  /** The program, where it is not bin/baton itself but a link to it. */
  readonly program?: string;
  readonly folder?: string;
  /** Written to standard input as far as the program reads; without it, standard input is empty. */
  readonly input?: Iterable<string | Uint8Array>;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface BatonRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The program's output on descriptor 3. */
  readonly extra: string;
}

/** Runs the real launcher as a child and waits for its end. */
export async function runBaton(args: readonly string[], call: BatonCall = {}): Promise<BatonRun> {
  const child = spawn(call.program ?? BATON, args, {
    cwd: call.folder ?? ROOT,
    env: { ...process.env, ...call.environment },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [, stdout, stderr, extra] = child.stdio;
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const texts = Promise.all([readAll(stdout), readAll(stderr), readAll(extra as NodeJS.ReadableStream)]);
  await writeAll(child.stdin, call.input ?? []);
  const [out, err, more] = await texts;
  return { status: await ended, stdout: out, stderr: err, extra: more };
}

/** The JSON values of a run with --json, one a line. */
export function linesOf<Value>(run: BatonRun): Value[] {
  return run.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Value);
}

async function readAll(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const chunk of stream?.setEncoding('utf8') ?? []) text += chunk;
  return text;
}

async function writeAll(stdin: NodeJS.WritableStream, input: Iterable<string | Uint8Array>): Promise<void> {
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    // A program that has read enough closes its end: no error of the caller's.
    for (const signal of ['close', 'error']) {
      stdin.on(signal, () => {
        isClosed = true;
        resolve();
      });
    }
  });
  for (const part of input) {
    if (isClosed) return;
    if (!stdin.write(part)) await Promise.race([closed, new Promise((resolve) => stdin.once('drain', resolve))]);
  }
  stdin.end();
}
