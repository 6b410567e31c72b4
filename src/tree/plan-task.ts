import { hash } from 'node:crypto';
import type { TaskName } from '../domain/task/task.ts';
import type { MirrorBase, MirrorFile } from '../ledger/statements/mirror-files.ts';
import type { TreeFile } from './render-task.ts';
import { attemptOf, folderOf, runPath, statusFolderOf } from './tree-paths.ts';

export interface FileWrite extends TreeFile {
  readonly sha256: string;
  /** The hash that Baton wrote last; null if it wrote none. */
  readonly base: string | null;
  /** Hashes of Baton's own content that the file may have; any other content is a person's. */
  readonly own: readonly string[];
}

export interface FileMove {
  readonly from: string;
  readonly to: string;
  readonly own: readonly string[];
}

/** The changes that bring the files of one task up to date, in the order in which they are made. */
export interface TaskPlan {
  readonly taskId: TaskName;
  readonly revision: number;
  readonly folderMoves: readonly { readonly from: string; readonly to: string }[];
  readonly moves: readonly FileMove[];
  readonly folders: readonly string[];
  readonly writes: readonly FileWrite[];
  /** Files of Baton's that the task no longer has. */
  readonly removals: readonly { readonly path: string; readonly own: readonly string[] }[];
  /** Rows to record before the first write, so that every content is known by its hash after a crash. */
  readonly intents: readonly MirrorFile[];
  /** Rows to delete when all is done. */
  readonly forgotten: readonly string[];
  /** The status is final: older texts are no longer needed. */
  readonly hasEnded: boolean;
  /** The text of the task's file if it is written: a later edit is merged on it. */
  readonly base: MirrorBase | null;
}

export interface PlanFacts {
  readonly taskId: TaskName;
  readonly revision: number;
  /** The fence of the newest run; 0 before the first. */
  readonly fence: number;
  readonly files: readonly TreeFile[];
  /** As last written, with no open intents. */
  readonly rows: readonly MirrorFile[];
  /** The current text of the task's file; null if the task has ended. */
  readonly base: string | null;
  /** True to read every file, also those that should be right. */
  readonly isThorough: boolean;
}

export function planTask(facts: PlanFacts): TaskPlan {
  const { taskId, revision, rows } = facts;
  const statusFolder = statusFolderOf(facts.files[0]?.path ?? '');
  const strayed = rows.filter(({ path }) => attemptOf(path) === null && statusFolderOf(path) !== statusFolder);
  const goingOver = strayed.map((row) => moveOf(row, pathIn(statusFolder, statusFolderOf(row.path), row.path)));
  const setAside = runMoves(facts);
  const writes = writesOf(facts, goingOver, setAside);
  const wanted = new Set(facts.files.map(({ path }) => path));
  const gone = rows.filter(({ path }) => !wanted.has(path) && !attemptOf(path));
  const moved = new Set([...goingOver, ...setAside].map(({ from }) => from));
  return {
    taskId,
    revision,
    folderMoves: folderMoves(taskId, strayed, statusFolder),
    // The files of a companion folder move with it.
    moves: [...goingOver.filter(({ from }) => folderOf(from) === statusFolderOf(from)), ...setAside],
    folders: companionFolders(`${statusFolder}/${taskId}`, writes),
    writes,
    removals: gone.filter(({ path }) => !moved.has(path)).map((row) => ({ path: row.path, own: hashesOf(row) })),
    intents: writes.map(({ path, base, sha256 }) => ({ path, taskId, sha256: base, nextSha256: sha256, revision })),
    forgotten: gone.map(({ path }) => path),
    hasEnded: facts.base === null,
    base: baseOf(facts, writes),
  };
}

function baseOf({ taskId, revision, base, files }: PlanFacts, writes: readonly FileWrite[]): MirrorBase | null {
  const isWritten = writes.some(({ path }) => path === files[0]?.path);
  return isWritten && base !== null ? { taskId, revision, content: base } : null;
}

function folderMoves(taskId: TaskName, strayed: readonly MirrorFile[], statusFolder: string) {
  const from = new Set(strayed.map(({ path }) => statusFolderOf(path)));
  return [...from].map((folder) => ({ from: `${folder}/${taskId}`, to: `${statusFolder}/${taskId}` }));
}

/** All three are created as soon as one of them is needed. */
function companionFolders(companion: string, writes: readonly FileWrite[]): string[] {
  const isNeeded = writes.some(({ path }) => path.startsWith(`${companion}/`));
  return isNeeded ? ['inputs', 'work', 'outputs'].map((name) => `${companion}/${name}`) : [];
}

function writesOf(facts: PlanFacts, goingOver: readonly FileMove[], setAside: readonly FileMove[]): FileWrite[] {
  const bases = basesOf(facts.rows, [...goingOver, ...setAside]);
  const movedAway = new Set(setAside.map(({ from }) => from));
  return facts.files
    .map((file) => writeOf(file, bases.get(file.path)))
    .filter(({ path, sha256 }) => {
      return facts.isThorough || movedAway.has(path) || bases.get(path)?.unchanged !== sha256;
    });
}

interface Base {
  /** The hash that makes a write unnecessary; null if the file is moved here. */
  readonly unchanged: string | null;
  readonly own: readonly string[];
}

/** The content that Baton last wrote at a path, or at the path from which its file is moved. */
function basesOf(rows: readonly MirrorFile[], moves: readonly FileMove[]): Map<string, Base> {
  const bases = new Map<string, Base>();
  const add = (path: string, own: readonly string[], unchanged: string | null) => {
    bases.set(path, { unchanged, own: [...own, ...(bases.get(path)?.own ?? [])] });
  };
  for (const { to, own } of moves) add(to, own, null);
  for (const row of rows) add(row.path, hashesOf(row), row.sha256);
  return bases;
}

/**
 * A new run starts without the files of the previous one (aof:run-files). Fences count up by one, so the files on top
 * belong to the run after the last one under attempts/.
 */
function runMoves({ taskId, fence, rows }: PlanFacts): FileMove[] {
  const onTop = rows.filter(({ path }) => attemptOf(path) === 0);
  const shown = 1 + Math.max(0, ...rows.map(({ path }) => attemptOf(path) ?? 0));
  if (onTop.length === 0 || shown >= fence) return [];
  const folder = folderOf(runPath(taskId, 'run.json', shown));
  return onTop.map((row) => moveOf(row, pathIn(folder, folderOf(row.path), row.path)));
}

function pathIn(folder: string, before: string, path: string): string {
  return `${folder}${path.slice(before.length)}`;
}

function moveOf(row: MirrorFile, to: string): FileMove {
  return { from: row.path, to, own: hashesOf(row) };
}

function hashesOf({ sha256, nextSha256 }: MirrorFile): string[] {
  return [sha256, nextSha256].filter((each) => each !== null);
}

function writeOf({ path, text }: TreeFile, base: Base | undefined): FileWrite {
  const own = base?.own ?? [];
  return { path, text, sha256: hash('sha256', text), base: own[0] ?? null, own };
}
