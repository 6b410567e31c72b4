import { existsSync } from 'node:fs';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { type PreparedGitUndo, prepareGitUndo } from '../workspace/git-state/undo-git-state.ts';
import { prepareNestedUndo } from '../workspace/ignored/nested-repositories.ts';
import { savedIgnored } from '../workspace/ignored/saved-ignored.ts';
import { type PreparedIgnoredUndo, prepareIgnoredUndo } from '../workspace/ignored/undo-ignored.ts';
import { asideFolderFor, setAsideBefore } from './set-aside.ts';
import { gitRange } from './undo-git.ts';
import { asideFolderOf, savedStates } from './undo-unrecorded.ts';
import type { LeftWork, States, WorkDone } from './work.ts';
import type { WorkWorld } from './work-world.ts';

/** Everything that an undo took back beside recorded files, in its state after the work. */
type BroughtBack = Pick<WorkDone, 'git' | 'ignored' | 'left' | 'asideFolder'> & {
  /** Files of nested repositories, and empty folders with a slash at their end. */
  readonly unrecorded: readonly string[];
};

export interface PreparedReturn {
  perform(): Promise<BroughtBack>;
}

/**
 * Prepares to bring back what an undo took back of git itself, ignored files, nested repositories and empty folders. Things that a
 * person changed since, or that were not saved, stay as they are and are named. Null unless the work was undone in place.
 */
export async function prepareReturn(
  world: WorkWorld,
  work: LeftWork,
  states: States,
): Promise<PreparedReturn | Refusal | null> {
  if (states.worktree !== null || work.execution.workFacts.at(-1)?.kind !== 'undone') return null;
  const reason = `baton apply ${work.task.id}`;
  const asideFolder = asideFolderOf(world.dataFolder, work);
  const unrecorded = await prepareUnrecordedReturn(world, { work, states, asideFolder, reason });
  if (isRefusal(unrecorded)) return unrecorded;
  const git = await prepareGitReturn(world, { work, states, reason });
  if (isRefusal(git)) return git;
  const gits = [...git, ...unrecorded.nested];
  const stays = gits.flatMap(({ movedSince, lost }) => [
    ...movedSince.map((name) => `${name}: it was moved since`),
    ...lost,
  ]);
  return {
    perform: async () => {
      const restored: string[] = [];
      for (const one of gits) restored.push(...(await one.perform()).restored);
      const back = unrecorded.ignored.map((one) => one.perform());
      return {
        git: restored,
        ignored: back.flatMap(({ ignored }) => ignored),
        unrecorded: back.flatMap(({ unrecorded: paths }) => paths),
        left: [...stays, ...unrecorded.ignored.flatMap(({ left }) => left), ...asideTexts(world, work, states)],
        asideFolder: existsSync(asideFolder) ? asideFolder : null,
      };
    },
  };
}

interface ReturnOrder {
  readonly work: LeftWork;
  readonly states: States;
  readonly reason: string;
}

async function prepareGitReturn(
  { dataFolder }: WorkWorld,
  { work, states, reason }: ReturnOrder,
): Promise<readonly PreparedGitUndo[] | Refusal> {
  const range = gitRange(dataFolder, work, states);
  if (range === null) return [];
  const order = { before: range.after, after: range.before, reason };
  const git = await prepareGitUndo({ repository: states.theirs.repository, dataFolder }, order);
  return isRefusal(git) ? git : [git];
}

interface UnrecordedReturn {
  readonly ignored: readonly PreparedIgnoredUndo[];
  readonly nested: readonly PreparedGitUndo[];
}

async function prepareUnrecordedReturn(
  { dataFolder, clock }: WorkWorld,
  { work, states, asideFolder, reason }: ReturnOrder & { readonly asideFolder: string },
): Promise<UnrecordedReturn | Refusal> {
  const saved = savedStates(work, states);
  if (saved === null) return { ignored: [], nested: [] };
  const { root } = states.theirs;
  const ends = { before: saved.after, after: saved.before };
  const atMs = clock.now().wallMs;
  const ignored = prepareIgnoredUndo({
    root,
    dataFolder,
    ...ends,
    asideFolder,
    atMs,
    changes: [],
    leavesChanged: true,
  });
  const [before, after] = [ends.before, ends.after].map((name) => savedIgnored(dataFolder, name));
  if (!before || !after) return { ignored: [ignored], nested: [] };
  const nested = await prepareNestedUndo({ root, dataFolder, before, after, reason });
  return isRefusal(nested) ? nested : { ignored: [ignored], nested: [nested] };
}

/** Things that git would execute stay where the undo moved it. */
function asideTexts({ dataFolder }: WorkWorld, work: LeftWork, { firstRound }: States): readonly string[] {
  const executions = [work.execution, ...work.earlier().slice(0, work.round - firstRound)];
  const found = setAsideBefore({
    executions,
    dataFolder,
    folder: asideFolderFor(dataFolder, work.task.id, work.round),
  });
  return found.map(({ path, place }) => `${path}: git would execute it; the undo moved it to ${place}`);
}
