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
