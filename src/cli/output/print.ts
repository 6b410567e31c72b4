import type { Answer, Refusal } from '../command.ts';

// The only folder that writes to the terminal. Data goes to stdout, everything else to stderr.

export async function printAnswer(answer: Answer<unknown>, json: boolean): Promise<number> {
  for await (const value of answer.values) {
    const shown = answer.human(value);
    if (typeof shown !== 'string') tellRefusal(shown);
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
  if (!json) return;
  const errors = [{ path: '', message: refusal.message }];
  await printJson({ verdict: 'refused', code, errors, hint: refusal.hint });
}

function tellRefusal({ message, hint }: Refusal): void {
  process.stderr.write(`error: ${message}\ntry: ${hint}\n`);
}

async function writeLine(text: string): Promise<void> {
  if (process.stdout.write(`${text}\n`)) return;
  await new Promise((resolve) => process.stdout.once('drain', resolve));
}
