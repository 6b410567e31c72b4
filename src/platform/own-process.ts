const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export type StopSignal = (typeof SIGNALS)[number];

/** Tells of each of them instead of dying of it; returns how to stop telling. */
export function onStopSignal(tell: (signal: StopSignal) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, tell);
  return () => {
    for (const signal of SIGNALS) process.off(signal, tell);
  };
}

/** Tells of what nobody caught, also of a promise, instead of printing it; then the process ends with 1, whatever happens. */
export function onCrash(tell: (error: unknown) => void): void {
  process.on('uncaughtException', (error) => {
    try {
      tell(error);
    } finally {
      process.exit(1);
    }
  });
}

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

declare const BATON_VERSION: string | undefined;

/** Put in by the build; what is run from its source has none. */
export function batonVersion(): string {
  return typeof BATON_VERSION === 'string' ? BATON_VERSION : 'source';
}
