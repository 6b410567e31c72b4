import { hash } from 'node:crypto';
import type { TaskName } from '../domain/task.ts';
import type { MirrorBase, MirrorFile } from '../ledger/statements/mirror-files.ts';
import type { TreeFile } from './render-task.ts';
import { attemptOf, folderOf, runPath, statusFolderOf } from './tree-paths.ts';

export interface FileWrite extends TreeFile {
  readonly sha256: string;
  /** What Baton wrote there last, if anything. */
  readonly base: string | null;
  /** Hashes of Baton's own making that may stand there now; anything else is a person's. */
  readonly own: readonly string[];
}

export interface FileMove {
  readonly from: string;
  readonly to: string;
  readonly own: readonly string[];
}

/** What brings the files of one task to where its row is. Performed in this order. */
export interface TaskPlan {
  readonly taskId: TaskName;
  readonly revision: number;
  readonly folderMoves: readonly { readonly from: string; readonly to: string }[];
  readonly moves: readonly FileMove[];
  readonly folders: readonly string[];
  readonly writes: readonly FileWrite[];
  /** Files of Baton's that have no place any more. */
  readonly removals: readonly { readonly path: string; readonly own: readonly string[] }[];
  /** Rows to keep before the first file is touched, so that after a crash every content is known by its hash. */
  readonly intents: readonly MirrorFile[];
  /** Rows that go once all is done. */
  readonly forgotten: readonly string[];
  /** Its status is final: no older text is needed any more. */
  readonly hasEnded: boolean;
  /** What the task's file says, where it is written: an edit may be merged on it. */
  readonly base: MirrorBase | null;
}

export interface PlanFacts {
  readonly taskId: TaskName;
  readonly revision: number;
  /** The fence of the newest run; 0 before the first. */
  readonly fence: number;
  readonly files: readonly TreeFile[];
  /** As last written: none of them is still open. */
  readonly rows: readonly MirrorFile[];
  /** What the task's file says now; null where nobody will need it. */
  readonly base: string | null;
  /** Look at every file, also at those that should be right. */
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
    // The files of a companion folder go over with it.
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

/** All three are there as soon as one of them is needed. */
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
  /** The hash that makes a write needless; null where the file comes from another place. */
  readonly unchanged: string | null;
  readonly own: readonly string[];
}

/** What Baton last wrote at a path, or at the path its file comes from. */
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
 * D-A3: a new run starts without the files of the one before. Fences count up by one, so the run whose files lie on
 * top is the one after the last that was set aside.
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
