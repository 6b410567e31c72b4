import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MEASUREMENT_MS_MAX = 300_000;

/** Runs one of the bench's own programs and returns what it printed as JSON. */
export async function runInChild<Answer>(program: URL, args: readonly string[]): Promise<Answer> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: MEASUREMENT_MS_MAX,
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve(status ?? signal ?? 'no status'));
  });
  const text = Buffer.concat(chunks).toString();
  if (code !== 0) throw new Error(`${fileURLToPath(program)} ${args[0] ?? ''} ended with ${code}: ${text.slice(-500)}`);
  return JSON.parse(text) as Answer;
}
