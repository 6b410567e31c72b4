/** Runs after everything that is ready now: what arrives together can be taken together. */
export function nextTurn(run: () => void): void {
  setImmediate(run);
}
