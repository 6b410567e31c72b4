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
