/**
 * Whether a wait that began at an instant is over, by the wall clock, which is what outlives a restart. A clock that shows
 * a time from before the wait began was set back: it cannot tell, and nobody waits for it to come round again.
 */
export function isDue(wait: { readonly since: number; readonly dueAt: number }, nowMs: number): boolean {
  return wait.dueAt <= nowMs || nowMs < wait.since;
}
