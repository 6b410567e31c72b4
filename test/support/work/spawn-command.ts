import { spawn } from 'node:child_process';
import type { RunCommand } from '../../../src/checks/run-checks.ts';

/** Runs a command of a check as a real process, without a sandbox. */
export const spawnCommand: RunCommand = async ({ argv, cwd, timeoutMs }) => {
  const [program = '', ...args] = argv;
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let isTimedOut = false;
  const timeout = setTimeout(() => {
    isTimedOut = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (texts.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (texts.stderr += chunk));
  try {
    const { exitCode, signal } = await new Promise<{ exitCode: number | null; signal: string | null }>(
      (resolve, reject) => {
        child.on('error', reject).on('close', (code, by) => resolve({ exitCode: code, signal: by }));
      },
    );
    const durationMs = Math.round(performance.now() - startedAt);
    const { stdout, stderr } = texts;
    const tails = { stdoutTail: stdout, stderrTail: stderr, hasOutput: stdout !== '' };
    return { kind: 'ran', exitCode, signal, ...tails, durationMs, isTimedOut };
  } catch (error) {
    return { kind: 'could-not-run', reason: (error as Error).message };
  } finally {
    clearTimeout(timeout);
  }
};
