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

/** For display only: decisions use the injected clock. */
export function wallMs(): number {
  return Date.now();
}

/** Whether a person can be asked: stdin and stderr are terminals. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY) && Boolean(process.stderr.isTTY);
}

/** Null without an answer: end of input, or Ctrl-C. */
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
  return await new Promise<string | null>((resolve) => {
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
