const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export type StopSignal = (typeof SIGNALS)[number];

/** Tells of each of them instead of dying of it; returns how to stop telling. */
export function onStopSignal(tell: (signal: StopSignal) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, tell);
  return () => {
    for (const signal of SIGNALS) process.off(signal, tell);
  };
}
