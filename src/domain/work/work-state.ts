/** The work of a task waits in a worktree, or an operator applied, undid or discarded it, or continued it in a later task. */
export const WORK_STATES = ['waiting', 'applied', 'undone', 'discarded', 'continued'] as const;
export type WorkState = (typeof WORK_STATES)[number];

/** The place of the work of an ended order, or what became of it. */
export const WORK_PLACES = ['files', 'worktree', 'branch', 'undone', 'discarded', 'continued'] as const;
export type WorkPlace = (typeof WORK_PLACES)[number];

/** An operator took the work back or dropped it, so nobody has to decide on it. */
export function isTakenBack(work: WorkState | null): boolean {
  return work === 'undone' || work === 'discarded';
}
