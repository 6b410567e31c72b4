/** Whether colours would be seen for what they are: https://no-color.org, and not in a pipe. */
export function hasColours(): boolean {
  const { NO_COLOR, TERM } = process.env;
  return Boolean(process.stdout.isTTY) && !NO_COLOR && TERM !== 'dumb';
}

/** For people only: what is decided by time takes the clock. */
export function wallMs(): number {
  return Date.now();
}

/** Whether somebody sits there who can be asked. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY) && Boolean(process.stderr.isTTY);
}

export type AskLine = (question: string) => Promise<string>;

/** Asks on stderr, so that stdout holds data alone; end of input is an empty answer. */
export const askLine: AskLine = async (question) => {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return await new Promise<string>((resolve) => {
    lines.on('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
};
