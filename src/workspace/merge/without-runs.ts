import type { RunSpan } from '../../domain/work/point.ts';
import { type FileChange, thereOf } from '../diff-shadows.ts';
import { gitLine } from '../git.ts';
import { commitChanges, type TreeChange } from '../shadow/commit-changes.ts';
import { openPrivateRepository, type ShadowPlace, usingStore } from '../shadow/private-repository.ts';
import { inStagingArea } from '../shadow/staging-area.ts';
import { planUndo } from '../undo/plan-undo.ts';

/**
 * The commit of a recorded state without the work of earlier runs, newest first, and with a person's changes between them: the
 * files are as an undo of these runs would leave them. Touches no file; the same question makes the same commit.
 */
export async function withoutRuns(place: ShadowPlace, state: string, runs: readonly RunSpan[]): Promise<string> {
  const [last, ...earlier] = runs;
  if (!last) return state;
  const own = await openPrivateRepository(place);
  return usingStore(place, `index of ${place.root}`, () =>
    inStagingArea({ ...own, place: thereOf(own.place) }, async (into) => {
      const tree = await gitLine(into.place, { args: ['rev-parse', `${state}^{tree}`] });
      const present = { commit: state, tree, changed: null };
      const { files } = await planUndo(into.place, { ...last, earlier, present });
      if (files.length === 0) return state;
      const label = 'without earlier runs';
      const request = { tree, changes: files.map(asAfter), parent: null, atMs: 0, label };
      return (await commitChanges(into, request)).commit;
    }),
  );
}

function asAfter({ name, after }: FileChange): TreeChange {
  return after ? { kind: 'object', name, ...after } : { kind: 'removed', name };
}
