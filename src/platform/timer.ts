/** Every wait of a loop, handed down so that a test can step it. */
export interface Timer {
  /** Until everything that waits for its turn now has had it. */
  breathe(): Promise<void>;
  pause(milliseconds: number): Promise<void>;
  /** Calls once, unless cancelled by what is returned; keeps no process alive. */
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

/** Runs after everything that is ready now: what arrives together can be taken together. */
export function nextTurn(run: () => void): void {
  setImmediate(run);
}

/** Whether it happened in time. What is waited for goes on either way; its failure is thrown. */
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
