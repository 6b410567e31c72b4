import type { Answer, Refusal } from '../command.ts';
import type { Look } from './look.ts';
import { visible } from './visible.ts';

// The only folder that writes to the terminal. Data goes to stdout, everything else to stderr.

export interface Manner {
  /** One JSON value a line, and nothing else on stdout. */
  readonly json: boolean;
  readonly look: Look;
}

/** Whether anybody reads on, and whether that matters. */
const stdout = { isClosed: false, isWorkAtHand: false };

/**
 * `baton … | head` closes our stdout early: that is not an error, and what only tells has nothing left to do. Work goes
 * on unread. Who reads stderr may leave at any time.
 */
export function mindClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    stdout.isClosed = true;
    if (stdout.isWorkAtHand) return;
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.stderr.on('error', () => {});
}

export async function printAnswer(answer: Answer<unknown>, { json, look }: Manner): Promise<number> {
  stdout.isWorkAtHand = answer.isWork ?? false;
  for await (const value of answer.values) {
    const shown = answer.human(value, look);
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
  await writeLine(JSON.stringify(value));
}

/** A refusal of the whole call: on stderr for a person; with --json it is data too. */
export async function printRefusal(refusal: Refusal, code: string, json: boolean): Promise<void> {
  tellRefusal(refusal);
  if (json) await printJson(refusalValue(refusal, code));
}

export function refusalValue({ message, hint, path = '', details = [], problems = [] }: Refusal, code: string) {
  const errors = [{ path, message }, ...problems, ...details.map((detail) => ({ path, message: detail }))];
  return { verdict: 'refused', code, errors, hint };
}

export function printWarning(text: string): void {
  process.stderr.write(`warning: ${visible(text)}\n`);
}

/** What a person may read beside data: on stderr. */
export function printAside(shown: string | Refusal | null): void {
  if (typeof shown === 'string') process.stderr.write(`${shown}\n`);
  else if (shown !== null) tellRefusal(shown);
}

export function tellRefusal({ message, hint, details = [], problems = [] }: Refusal): void {
  const lines = [...problems.map((problem) => problem.message), ...details]
    .map((detail) => `  ${visible(detail)}\n`)
    .join('');
  process.stderr.write(`error: ${visible(message)}\n${lines}try: ${visible(hint)}\n`);
}

async function writeLine(text: string): Promise<void> {
  if (stdout.isClosed || process.stdout.write(`${text}\n`)) return;
  await new Promise((resolve) => process.stdout.once('drain', resolve).once('error', resolve));
}
