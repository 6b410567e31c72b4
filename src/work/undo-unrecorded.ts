import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ignoredOf } from '../domain/execution/recorded-changes.ts';
import { isRefusal, type Refusal, refuseTask } from '../domain/refusal.ts';
import { NO_GIT_UNDO, type PreparedGitUndo } from '../workspace/git-state/undo-git-state.ts';
import { prepareNestedUndo } from '../workspace/ignored/nested-repositories.ts';
import { savedIgnored } from '../workspace/ignored/saved-ignored.ts';
import {
  ignoredBetween,
  NO_IGNORED_UNDO,
  type PreparedIgnoredUndo,
  prepareIgnoredUndo,
} from '../workspace/ignored/undo-ignored.ts';
import { asideFolderFor } from './set-aside.ts';
import type { LeftWork, States } from './work.ts';
import type { WorkWorld } from './work-world.ts';

/** The undo of everything that no shadow has: ignored files, nested repositories, empty folders. */
export interface UnrecordedUndo {
  readonly ignored: PreparedIgnoredUndo;
  /** Branches, HEAD, index and stash of nested repositories. */
  readonly nested: PreparedGitUndo;
  /** Receives files that the undo replaces or removes. */
  readonly asideFolder: string;
  /** Folders that were repositories before the work, each with a slash at its end. */
  readonly repositories: readonly string[];
}

interface UndoQuestion {
  readonly states: States;
  /** The beginning of the work. */
  readonly startedAtMs?: number;
}

/** Prepares it. In a worktree such files are the agent's own. */
export async function prepareUnrecorded(
  { dataFolder, clock }: WorkWorld,
  work: LeftWork,
  { states, startedAtMs }: UndoQuestion,
): Promise<UnrecordedUndo | Refusal> {
  const asideFolder = asideFolderOf(dataFolder, work);
  const saved = savedStates(work, states);
  if (saved === null) return { ignored: NO_IGNORED_UNDO, nested: NO_GIT_UNDO, asideFolder, repositories: [] };
  const { root } = states.theirs;
  const ignored = prepareIgnoredUndo({
    root,
    dataFolder,
    ...saved,
    asideFolder,
    atMs: clock.now().wallMs,
    changes: ignoredOf(work.execution).ignoredChanges,
    ...(startedAtMs !== undefined && { startedAtMs }),
  });
  const [before, after] = [saved.before, saved.after].map((name) => savedIgnored(dataFolder, name));
  if (!before || !after) return { ignored, nested: NO_GIT_UNDO, asideFolder, repositories: [] };
  const nested = await prepareNestedUndo({ root, dataFolder, before, after, reason: `baton undo ${work.task.id}` });
  if (isRefusal(nested)) return nested;
  const names = Object.keys(before.repositories ?? {});
  const repositories = names.map((name) => Buffer.from(name, 'latin1').toString('utf8'));
  return { ignored, nested, asideFolder, repositories };
}

/** Whether the agent, and not a check, changed an unrecorded file; a file of which nothing is known is the agent's. */
export function isOfAgent(dataFolder: string, work: LeftWork, states: States): (path: string) => boolean {
  const first = work.round === states.firstRound ? work.execution : work.earlier()[work.round - states.firstRound - 1];
  const { ignoredState, checkedIgnored = ignoredState } = first?.snapshotted ?? {};
  const collected = work.execution.attempts.findLast((attempt) => attempt.collected !== null)?.collected;
  if (checkedIgnored === undefined || !collected) return () => true;
  const changed = ignoredBetween(dataFolder, checkedIgnored, collected.ignoredState ?? checkedIgnored);
  return (path) => path.endsWith('/') || changed.has(path);
}

/** The names of the saved states before and after the rounds that are undone; null without them. */
export function savedStates(
  work: LeftWork,
  states: States,
): { readonly before: string; readonly after: string } | null {
  const rounds = [work.execution, ...work.earlier().slice(0, work.round - states.firstRound)];
  const before = rounds.at(-1)?.snapshotted?.ignoredState;
  const after = rounds.map((one) => ignoredOf(one).ignoredState ?? one.snapshotted?.checkedIgnored).find(Boolean);
  return states.worktree !== null || before === undefined || after === undefined ? null : { before, after };
}

/** A folder that no earlier undo of this round has filled: that one may hold a person's changes. */
export function asideFolderOf(dataFolder: string, { task, round }: LeftWork): string {
  const folder = join(asideFolderFor(dataFolder, task.id, round), 'ignored');
  let free = folder;
  for (let number = 2; existsSync(free); number++) free = `${folder}-${number}`;
  return free;
}

/** Refuses an undo of ignored files that a person changed since. */
export function refuseIgnored({ task }: LeftWork, names: readonly string[]): Refusal {
  const what = names.length === 1 ? 'an ignored file of the run was' : `${names.length} ignored files of the run were`;
  const hint = `baton undo ${task.id} --keep saves them first, then undoes`;
  return { ...refuseTask('changed_since', `${what} changed since`, task.id), hint, details: names };
}
