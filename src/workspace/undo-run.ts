import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { changedInTrees, type FileChange } from './diff-shadows.ts';
import { restoreModes } from './files/file-modes.ts';
import { isFile, occupiedPaths, putFiles } from './files/put-files.ts';
import { makeStaging, type StagedVersion, type Staging, stageFiles, versionsAfter } from './files/staging.ts';
import { git, splitAtNul } from './git.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { namedModes } from './shadow/object-store.ts';
import { openPrivateRepository, type PrivateRepository, type ShadowPlace } from './shadow/private-repository.ts';
import { type Shadow, takeShadow } from './shadow/take-shadow.ts';

const TAB = 0x09;

export interface UndoOrder {
  readonly task: string;
  /** The present state is recorded under this label, so that an undo can be undone. */
  readonly label: string;
  /** The commits of the run. */
  readonly before: string;
  readonly after: string;
  /** Continue although files changed since: their present state is in the shadow that the answer names. */
  readonly isKept: boolean;
  readonly atMs: number;
  /** The refs of these commits, under which file modes are stored. */
  readonly refs?: { readonly before: string; readonly after: string };
}

export interface Undone {
  readonly kind: 'undone';
  readonly files: readonly FileChange[];
  readonly present: Shadow;
  /** Files of the run that were ignored before it: they are not removed. */
  readonly leftIgnored: readonly string[];
}

/** Puts every file, tracked or not, back to what it was before a run; ignored files stay as they are. */
export function undoRun(place: ShadowPlace, order: UndoOrder): Promise<Undone | Refusal> {
  return oneAtATime(`files of ${place.root}`, () => undoInTurn(place, order));
}

async function undoInTurn(place: ShadowPlace, order: UndoOrder): Promise<Undone | Refusal> {
  const { task, label, before, after, atMs } = order;
  const present = await takeShadow(place, { task, label, atMs, basis: after });
  const own = await openPrivateRepository(place);
  const since = order.isKept ? [] : await changedSince(own, { before, after, present: present.commit });
  if (since.length > 0) return changed(since);
  const all = (await changedInTrees(own.place, { before: present.commit, after: before })).filter(isFile);
  const staging = makeStaging(own, place);
  try {
    const ignored = await ignoredBefore(own, staging, { before, changes: all });
    const files = all.filter(({ path }) => !ignored.has(path));
    const occupied = occupiedPaths(place.root, files);
    if (occupied.length > 0) return changed(occupied);
    await stageFiles(own, staging, versionsAfter(files));
    const again = await takeShadow(place, { task, label, atMs, basis: after });
    if (again.tree !== present.tree) return changed(await pathsBetween(own, present.commit, again.commit));
    const modes = modesFor(own, order);
    putFiles(place.root, files, { ...staging, ...(modes && { modes: modes.before }) });
    if (modes) restoreModes(place.root, { ...modes, present: present.modes }, new Set(files.map(({ path }) => path)));
    return { kind: 'undone', files, present, leftIgnored: [...ignored] };
  } finally {
    staging.remove();
  }
}

function modesFor({ store }: PrivateRepository, { refs }: UndoOrder) {
  const [before, after] = [refs?.before, refs?.after].map((ref) => (ref ? namedModes(store, ref) : null));
  return before && after ? { before, after } : null;
}

/** Files that equal their state before the run do not count, so that an interrupted undo can be repeated. */
async function changedSince(
  own: PrivateRepository,
  { before, after, present }: { readonly before: string; readonly after: string; readonly present: string },
): Promise<string[]> {
  const since = await pathsBetween(own, after, present);
  if (since.length === 0) return [];
  const open = new Set(await pathsBetween(own, before, present));
  return since.filter((path) => open.has(path));
}

async function pathsBetween(own: PrivateRepository, before: string, after: string): Promise<string[]> {
  return (await changedInTrees(own.place, { before, after })).filter(isFile).map(({ path }) => path);
}

function changed(paths: readonly string[]): Refusal {
  const message = `${paths.length === 1 ? 'a file was' : `${paths.length} files were`} changed since the run`;
  return { ...refuse('changed_since', message), details: paths };
}

interface Removals {
  readonly before: string;
  readonly changes: readonly FileChange[];
}

/** Uses the ignore rules from before the run, which may have changed them. */
async function ignoredBefore(
  own: PrivateRepository,
  staging: Staging,
  { before, changes }: Removals,
): Promise<Set<string>> {
  const removals = changes.filter(({ after }) => !after).map(({ name }) => name);
  if (removals.length === 0 || !changes.some(({ path }) => /(^|\/)\.gitignore$/.test(path))) return new Set();
  const rules = join(staging.folder, 'rules');
  mkdirSync(rules);
  await stageFiles(own, { folder: staging.folder, files: rules }, await ruleFiles(own, before));
  // Without a mark before it a name may be taken for a pattern, and this command does not know of literal ones.
  const input = Buffer.concat(removals.flatMap((name) => [Buffer.from('./'), name, Buffer.from([0])]));
  const call = { args: ['check-ignore', '--no-index', '-z', '--stdin'], input, exitCodes: [0, 1] };
  const env = { ...own.place.env, GIT_LITERAL_PATHSPECS: undefined };
  const { stdout } = await git({ ...own.place, workTree: rules, env }, call);
  return new Set([...splitAtNul(stdout)].map((name) => name.subarray(2).toString()));
}

async function ruleFiles(own: PrivateRepository, commit: string): Promise<readonly StagedVersion[]> {
  const { stdout } = await git(own.place, { args: ['ls-tree', '-r', '-z', '--full-tree', commit] });
  return [...splitAtNul(stdout)].flatMap((line) => {
    const name = line.subarray(line.indexOf(TAB) + 1);
    const [mode = '', , object = ''] = line.toString('latin1', 0, line.indexOf(TAB)).split(' ');
    return /(^|\/)\.gitignore$/.test(name.toString('latin1')) ? [{ name, mode, object }] : [];
  });
}
