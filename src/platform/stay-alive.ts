const LONG_MS = 2 ** 30;

/** Who waits for something wants its process to live so long; a timer that keeps no process alive may be all that is left. */
export async function stayAlive<Result>(event: Promise<Result>): Promise<Result> {
  const held = setInterval(() => {}, LONG_MS);
  try {
    return await event;
  } finally {
    clearInterval(held);
  }
}
