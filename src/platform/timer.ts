/** Every wait of a loop goes through it; injected, so that a test can step it. */
export interface Timer {
  /** Waits until all callbacks that are ready now have run. */
  breathe(): Promise<void>;
  pause(milliseconds: number): Promise<void>;
  /** Calls once, unless the returned function cancels it; does not keep the process alive. */
  after(milliseconds: number, call: () => void): () => void;
}

export function systemTimer(): Timer {
  return {
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    after: (milliseconds, call) => {
      const timeout = setTimeout(call, milliseconds).unref();
      return () => clearTimeout(timeout);
    },
  };
}

/** Aborted once the time is over; does not keep the process alive. */
export function abortAfter(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(milliseconds);
}

/** Runs after all callbacks that are ready now, so that requests that arrive together share a batch. */
export function nextTurn(run: () => void): void {
  setImmediate(run);
}

const SLICE_MS = 5;

/** For a long loop: the returned function waits for other callbacks before the first turn and whenever a slice is over. */
export function inSlices(): () => Promise<void> | undefined {
  let endsAt = 0;
  return () => {
    if (performance.now() < endsAt) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        endsAt = performance.now() + SLICE_MS;
        resolve();
      });
    });
  };
}

/** Whether the promise settled in time. It is not cancelled; its rejection is thrown. */
export async function waitAtMost(event: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timeout: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timeout = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    clearTimeout(timeout);
  }
}
