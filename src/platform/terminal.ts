import { closeSync, openSync, writeSync } from 'node:fs';
/** Whether colours would be seen for what they are: https://no-color.org, and not in a pipe. */
export function hasColours(): boolean {
  const { NO_COLOR, TERM } = process.env;
  return Boolean(process.stdout.isTTY) && !NO_COLOR && TERM !== 'dumb';
}

/** Width of the terminal in columns; Infinity without one. */
export function terminalColumns(): number {
  const { isTTY, columns } = process.stdout;
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** Height of the terminal in lines; null without one. */
export function terminalRows(): number | null {
  const { isTTY, rows } = process.stdout;
  return isTTY && rows > 0 ? rows : null;
}

/** Calls `tell` for each key that is pressed; nothing without a terminal. The function it returns gives the keys back. */
export function onKey(tell: (key: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => {};
  const read = (bytes: Buffer) => {
    const key = bytes.toString('utf8');
    // Without the terminal's own treatment of keys, Ctrl-C is one of them.
    if (key === '\u0003') process.kill(process.pid, 'SIGINT');
    else tell(key);
  };
  stdin.setRawMode(true);
  stdin.on('data', read);
  stdin.resume();
  return () => {
    stdin.off('data', read);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

/** For display only: decisions use the injected clock. */
export function wallMs(): number {
  return Date.now();
}

/** Whether a person can be asked: stdin and stderr are terminals. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY) && Boolean(process.stderr.isTTY);
}

/** Ctrl-C at a question: the command ends with 130, and starts nothing. */
export class InterruptFault extends Error {}

/** Null without an answer, at the end of input. Ctrl-C is thrown as `InterruptFault`. */
export type AskLine = (question: string) => Promise<string | null>;

/** Lines typed ahead of their question. */
const typedAhead: string[] = [];

/** Asks on stderr: stdout holds data only. */
export const askLine: AskLine = async (question) => {
  const early = typedAhead.shift();
  if (early !== undefined) {
    process.stderr.write(`${question}${early}\n`);
    return early;
  }
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return await new Promise<string | null>((resolve, reject) => {
    lines.on('SIGINT', () => {
      process.stderr.write('\n');
      reject(new InterruptFault());
      lines.close();
    });
    lines.on('close', () => resolve(null));
    lines.question(question, (answer) => {
      lines.on('line', (line) => typedAhead.push(line));
      // Lines of the same chunk are still to be read before the terminal is closed.
      setImmediate(() => {
        resolve(answer);
        lines.close();
      });
    });
  });
};

/** Whether an answer to a question is yes; null is no answer. */
export function isYes(line: string | null | undefined): boolean {
  return /^y(es)?$/i.test(line?.trim() ?? '');
}

/** Asks on stderr and waits for one of the keys, which it returns in lower case; any other is ignored. */
export async function askKey(question: string, allowed: RegExp): Promise<string> {
  process.stderr.write(question);
  const key = await new Promise<string>((resolve) => {
    const release = onKey((typed) => {
      const letter = typed.slice(0, 1).toLowerCase();
      if (!allowed.test(letter)) return;
      release();
      resolve(letter);
    });
  });
  process.stderr.write(`${key}\n`);
  return key;
}

/** Null without an answer: Ctrl-C, end of input, or the signal. */
export type AskFresh = (question: string, signal: AbortSignal) => Promise<string | null>;

const TYPED_BEFORE_MS = 100;

/** Asks on stderr. A line that was typed before the question was there is no answer to it. */
export const askFresh: AskFresh = async (question, signal) => {
  typedAhead.length = 0;
  const { createInterface } = await import('node:readline');
  if (signal.aborted) return null;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return await new Promise<string | null>((resolve) => {
    const end = () => lines.close();
    signal.addEventListener('abort', end);
    lines.on('close', () => {
      signal.removeEventListener('abort', end);
      // The line of the question stays; what follows begins a new one.
      if (signal.aborted) process.stderr.write('\n');
      resolve(null);
    });
    const fromMs = performance.now() + TYPED_BEFORE_MS;
    lines.setPrompt(question);
    lines.prompt();
    lines.on('line', (line) => {
      if (performance.now() < fromMs) return lines.prompt();
      resolve(line);
      lines.close();
    });
  });
};

/** Rings the bell of the terminal that this process belongs to; false without one. */
export function ringBell(): boolean {
  try {
    const terminal = openSync('/dev/tty', 'w');
    writeSync(terminal, '\u0007');
    closeSync(terminal);
    return true;
  } catch {
    // A service has none.
    return false;
  }
}
