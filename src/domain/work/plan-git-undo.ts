import { type GitState, isSameStash, OPERATION_FOLDERS, STASH_REF } from './git-state.ts';

/** A ref, HEAD among them, and where it goes; null removes it. */
export interface RefMove {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** How to take back what a run did to refs, HEAD, stash and an unfinished operation. */
export interface GitUndo {
  readonly moves: readonly RefMove[];
  /** The log of the stash to write; null leaves it. */
  readonly stashLog: string | null;
  /** Files of an unfinished operation to write; null removes one. */
  readonly operation: Readonly<Record<string, string | null>>;
  /** Refs that somebody moved since: they stay. */
  readonly movedSince: readonly string[];
}

interface ThreeStates {
  readonly before: GitState;
  readonly after: GitState;
  readonly present: GitState;
}

const HEAD = 'HEAD';

/** Plans an undo of the run between `before` and `after`. Only what is still as the run left it is put back. */
export function planGitUndo({ before, after, present }: ThreeStates): GitUndo {
  const moves: RefMove[] = [];
  const movedSince: string[] = [];
  const decide = (ref: string, [was, left, is]: readonly (string | null)[]) => {
    if (was === left || is === was) return;
    if (is === left) moves.push({ ref, from: left ?? null, to: was ?? null });
    else movedSince.push(ref);
  };
  const names = new Set([before, after].flatMap(({ refs }) => Object.keys(refs)));
  names.delete(STASH_REF);
  for (const name of [...names].sort())
    decide(
      name,
      [before, after, present].map(({ refs }) => refs[name] ?? null),
    );
  decide(HEAD, [before.head, after.head, present.head]);
  const isStashDone = isSameStash(before, after) || isSameStash(present, before);
  const isStashTheirs = !isStashDone && !isSameStash(present, after);
  if (isStashTheirs) movedSince.push(STASH_REF);
  const putsStash = !isStashDone && !isStashTheirs;
  if (putsStash)
    decide(
      STASH_REF,
      [before, after, present].map(({ refs }) => refs[STASH_REF] ?? null),
    );
  return {
    moves,
    movedSince,
    stashLog: putsStash ? before.stashLog : null,
    operation: operationBack({ before, after, present }),
  };
}

/** A person who has begun an operation of their own since keeps it. */
function operationBack({ before, after, present }: ThreeStates): GitUndo['operation'] {
  const names = new Set([before, after].flatMap(({ operation }) => Object.keys(operation)));
  const changed = [...names].filter((name) => before.operation[name] !== after.operation[name]);
  const inFolder = (state: GitState, folder: string) =>
    JSON.stringify(
      Object.entries(state.operation)
        .filter(([name]) => name.startsWith(`${folder}/`))
        .sort(),
    );
  // A folder that somebody changed since stays as it is: a part of an operation would be a broken one.
  const theirs = OPERATION_FOLDERS.filter((folder) => inFolder(present, folder) !== inFolder(after, folder));
  const left = changed.filter(
    (name) =>
      present.operation[name] === after.operation[name] && !theirs.some((folder) => name.startsWith(`${folder}/`)),
  );
  return Object.fromEntries(left.map((name) => [name, before.operation[name] ?? null]));
}
