import { once } from 'node:events';
import type { Answer } from '../command.ts';

// The only folder that writes to the terminal. Data goes to stdout, everything else to stderr.

export async function printAnswer(answer: Answer<unknown>, json: boolean): Promise<number> {
  for await (const value of answer.values) {
    const text = json ? JSON.stringify(value) : answer.human(value);
    if (text !== '') await writeLine(text);
  }
  return answer.exitCode();
}

export async function printText(text: string): Promise<void> {
  await writeLine(text);
}

export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** A refusal: on stderr for a person; with --json the whole of it is data. */
export async function printRefusal(refused: Refused, json: boolean): Promise<void> {
  process.stderr.write(`error: ${refused.message}\ntry: ${refused.hint}\n`);
  if (!json) return;
  const errors = [{ path: '', message: refused.message }];
  await writeLine(JSON.stringify({ verdict: 'refused', code: refused.code, errors, hint: refused.hint }));
}

async function writeLine(text: string): Promise<void> {
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
}
