import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { applyRun } from '../workspace/merge/apply-run.ts';
import { takeShadow } from '../workspace/shadow/take-shadow.ts';
import { prepareReturn } from './bring-back.ts';
import { recordedState } from './place/record-state.ts';
import { refsOf } from './undo.ts';
import { changeableStates, type LeftWork, nothingDone, type States, type WorkDone } from './work.ts';
import type { WorkWorld } from './work-world.ts';

/**
 * Applies work to the user's files: that of a worktree, uncommitted, or work in place that was undone, with everything that the
 * undo took back. The state before it is recorded for an undo.
 */
export async function applyOf(world: WorkWorld, work: LeftWork): Promise<WorkDone | Refusal> {
  const states = await changeableStates(world, work);
  if (isRefusal(states)) return states;
  const back = await prepareReturn(world, work, states);
  if (isRefusal(back)) return back;
  const { before, after, theirs } = states;
  const about = { task: work.task.id, atMs: world.clock.now().wallMs };
  const label = `${work.round}/apply-before`;
  const applied = await applyRun(theirs, {
    ...about,
    ...(back === null ? { before, after } : undoneSpans(work, states)),
    label,
  });
  if (isRefusal(applied)) return applied;
  if (applied.files.length === 0 && states.worktree === null && back === null) {
    const refusal = refuse('invalid_argument', `${work.task.id} was done in your files: they have it already`);
    return { ...refusal, hint: `baton diff ${work.task.id} shows it, baton undo ${work.task.id} puts them back` };
  }
  const { unrecorded = [], ...beside } = (await back?.perform()) ?? {};
  const paths = applied.files.map(({ path }) => path);
  const done = { ...nothingDone(states), ...beside, files: [...paths, ...unrecorded] };
  if (paths.length === 0) return done;
  const shadow = await takeShadow(theirs, { ...about, label: `${work.round}/apply-after` });
  const named = { task: work.task.id, label: `${work.round}/apply-after`, shadow };
  const state = states.worktree === null && (await recordedState(world, theirs, named));
  return { ...done, ...(state && { state }) };
}

/** All that an undo took back, files of the checks too: an agent may have committed them. */
function undoneSpans(work: LeftWork, states: States) {
  const { found: before, left: after, earlierSpans: earlier } = states;
  return { before, after, earlier, refs: refsOf(work, states) };
}
