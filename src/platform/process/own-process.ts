const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export type StopSignal = (typeof SIGNALS)[number];

/** Calls `tell` for each stop signal instead of ending; returns a function that removes the handlers. */
export function onStopSignal(tell: (signal: StopSignal) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, tell);
  return () => {
    for (const signal of SIGNALS) process.off(signal, tell);
  };
}

/** Calls `tell` for an uncaught error or rejection instead of printing it; then the process exits with 1. */
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

/** Keeps the process alive until the promise settles: an unreferenced timer alone would let it end. */
export async function stayAlive<Result>(event: Promise<Result>): Promise<Result> {
  const held = setInterval(() => {}, LONG_MS);
  try {
    return await event;
  } finally {
    clearInterval(held);
  }
}

declare const BATON_VERSION: string | undefined;

/** Inserted by the build; `source` when run from source. */
export function batonVersion(): string {
  return typeof BATON_VERSION === 'string' ? BATON_VERSION : 'source';
}
