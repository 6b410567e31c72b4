/**
 * Whether a wait is over by the wall clock, which survives a restart. A clock that shows a time before the start of the wait
 * was set back: then the wait counts as over.
 */
export function isDue(wait: { readonly since: number; readonly dueAt: number }, nowMs: number): boolean {
  return wait.dueAt <= nowMs || nowMs < wait.since;
}
