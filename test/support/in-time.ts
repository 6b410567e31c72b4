/** Longer than anything that a test waits for takes, on a machine that does much else. */
const SILENCE_MS_MAX = 60_000;

/** The awaited value, or an error that names it: a failure shows in seconds, not at the limit of a whole test. */
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
