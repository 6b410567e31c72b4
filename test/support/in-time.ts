/** Longer than anything that a test waits for takes, on a machine that does much else. */
const SILENCE_MS_MAX = 15_000;

/** What is awaited, or an error that says for what: a break is then told in seconds, not by the limit of a whole test. */
export async function inTime<Value>(awaited: Promise<Value>, what: string): Promise<Value> {
  let alarm: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    alarm = setTimeout(() => reject(new Error(`waited ${SILENCE_MS_MAX} ms for ${what}`)), SILENCE_MS_MAX);
  });
  try {
    return await Promise.race([awaited, silence]);
  } finally {
    clearTimeout(alarm);
  }
}
