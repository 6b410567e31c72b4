import { jsonLine } from '../../domain/words/json-line.ts';
import type { Answer, PrintedRefusal } from '../command.ts';
import type { Style } from './style.ts';
import { visible } from './visible.ts';

// The only folder that writes to the terminal. Data goes to stdout, everything else to stderr.

export interface PrintOptions {
  /** One JSON value a line, and nothing else on stdout. */
  readonly json: boolean;
  readonly style: Style;
}

/** State of stdout: whether its reader is gone, and whether the command continues without one. */
const stdout = { isClosed: false, isWorking: false };

/**
 * `baton … | head` closes stdout early. That is not an error: a command that only prints exits, one that works continues.
 * A closed stderr is ignored.
 */
export function handleClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    stdout.isClosed = true;
    if (stdout.isWorking) return;
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.stderr.on('error', () => {});
}

export async function printAnswer(answer: Answer<unknown>, { json, style }: PrintOptions): Promise<number> {
  stdout.isWorking = answer.isWork ?? false;
  for await (const value of answer.values) {
    const shown = answer.human(value, style);
    if (shown !== null && typeof shown !== 'string') tellRefusal(shown);
    if (json) await printJson(value);
    else if (typeof shown === 'string') await printText(shown);
  }
  const summary = json ? null : (answer.summary?.() ?? null);
  if (summary !== null) process.stderr.write(`${summary}\n`);
  return answer.exitCode();
}

export async function printText(text: string): Promise<void> {
  await writeLine(text);
}

export async function printJson(value: unknown): Promise<void> {
  await writeLine(jsonLine(value));
}

/** A refusal of the whole call: text on stderr, and with --json a value on stdout too. */
export async function printRefusal(refusal: PrintedRefusal, code: string, json: boolean): Promise<void> {
  tellRefusal(refusal);
  if (json) await printJson(refusalValue(refusal, code));
}

export function refusalValue({ message, hint, path = '', details = [], problems = [] }: PrintedRefusal, code: string) {
  const errors = [{ path, message }, ...problems, ...details.map((detail) => ({ path, message: detail }))];
  return { verdict: 'refused', code, errors, hint };
}

export function printWarning(text: string): void {
  process.stderr.write(`warning: ${visible(text)}\n`);
}

/** Text for people on stderr, beside data on stdout. */
export function printAside(shown: string | PrintedRefusal | null): void {
  if (typeof shown === 'string') process.stderr.write(`${shown}\n`);
  else if (shown !== null) tellRefusal(shown);
}

export function tellRefusal({ message, hint, details = [], problems = [] }: PrintedRefusal): void {
  const lines = [...problems.map((problem) => problem.message), ...details]
    .map((detail) => `  ${visible(detail)}\n`)
    .join('');
  process.stderr.write(`error: ${visible(message)}\n${lines}try: ${visible(hint)}\n`);
}

async function writeLine(text: string): Promise<void> {
  if (stdout.isClosed || process.stdout.write(`${text}\n`)) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      process.stdout.off('drain', go).off('error', go);
      resolve();
    };
    process.stdout.on('drain', go).on('error', go);
  });
}
