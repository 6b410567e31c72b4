import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderFault } from './data-folder.ts';

/** Whether colours would be seen for what they are: https://no-color.org, and not in a pipe. */
export function hasColours(): boolean {
  const { NO_COLOR, TERM } = process.env;
  return Boolean(process.stdout.isTTY) && !NO_COLOR && TERM !== 'dumb';
}

/** How wide the terminal is; without end where nobody looks at it. */
export function terminalColumns(): number {
  const { isTTY, columns } = process.stdout;
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** For people only: what is decided by time takes the clock. */
export function wallMs(): number {
  return Date.now();
}

/** Whether somebody sits there who can be asked. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY) && Boolean(process.stderr.isTTY);
}

/** Null where there was no answer: end of input, or Ctrl-C. */
export type AskLine = (question: string) => Promise<string | null>;

/** Lines that were typed before they were asked for. */
const typedAhead: string[] = [];

/** Asks on stderr, so that stdout holds data alone. */
export const askLine: AskLine = async (question) => {
  const early = typedAhead.shift();
  if (early !== undefined) {
    process.stderr.write(`${question}${early}\n`);
    return early;
  }
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return await new Promise<string | null>((resolve) => {
    lines.on('close', () => resolve(null));
    lines.question(question, (answer) => {
      lines.on('line', (line) => typedAhead.push(line));
      // What came in the same piece is still to be read before the terminal is let go.
      setImmediate(() => {
        resolve(answer);
        lines.close();
      });
    });
  });
};

/** Lets a person change a text; names the file that holds what they left. */
export function runEditor(editor: string, text: string): string {
  const draft = join(mkdtempSync(join(tmpdir(), 'baton-edit-')), 'config.yaml');
  writeFileSync(draft, text, { mode: 0o600 });
  // As a shell's user means it: `code --wait` is a program and an argument.
  const [program = '', ...args] = editor.split(/\s+/);
  const { status, error } = spawnSync(program, [...args, draft], { stdio: 'inherit' });
  if (error || status !== 0) {
    const message = `${editor} ended with ${error ? error.message : status}; nothing was changed`;
    throw new FolderFault('folder_refused', message, 'EDITOR=nano baton config edit');
  }
  return draft;
}
