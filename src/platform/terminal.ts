/** Whether colours would be seen for what they are: https://no-color.org, and not in a pipe. */
export function hasColours(): boolean {
  const { NO_COLOR, TERM } = process.env;
  return Boolean(process.stdout.isTTY) && !NO_COLOR && TERM !== 'dumb';
}

/** For people only: what is decided by time takes the clock. */
export function wallMs(): number {
  return Date.now();
}
