import { join } from 'node:path';
import { attemptNumber, currentRun } from '../../domain/execution/execution.ts';
import type { Fact } from '../../domain/execution/fact.ts';
import { firstCommit } from '../../domain/execution/recorded-changes.ts';
import { RUN_SIGN_MS } from '../../domain/limits.ts';
import { OVERLAP_PATHS_MAX } from '../../domain/session/session-limits.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import {
  changedOutputs,
  hashIfThere,
  recordedState,
  searchAfter,
  shadowAndSearch,
} from '../../work/place/record-state.ts';
import { folderOfExecution, pathFromWorkspace, type WorkFolder } from '../../work/place/work-folder.ts';
import type { WorkWorld } from '../../work/work-world.ts';
import { changedFiles, type FileChange } from '../../workspace/diff-shadows.ts';
import { findViolations } from '../../workspace/find-violations.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import { changedAt, isGitLater, leaveOutLater } from '../../workspace/shadow/leave-out-later.ts';
import type { LiveRuns } from '../attempt/live-runs.ts';
import { lastSign } from '../attempt/run-log.ts';
import type { SettingsTrust, StepParts } from './step-parts.ts';

type CollectedFact = Extract<Fact, { readonly kind: 'collected' }>;

/** Records all files after an attempt, and the changes since before the first attempt. */
export async function collectStep(parts: StepParts, open: OpenOrder): Promise<CollectedFact> {
  const { world, trust, live, taskFolders } = parts;
  const { execution, task, round } = open;
  const { runId } = currentRun(execution);
  taskFolders.close(task.id);
  const { order } = execution;
  const folder = folderOfExecution(execution, world.dataFolder);
  const before = firstCommit(execution);
  const settings = changedSettings(trust, execution);
  for (const path of settings) trust.withdrawTrust(path);
  const searching = searchAfter(world, open, folder);
  if (folder.shadows === null || before === null) {
    const changed = await changedOutputs(execution, folder, new Set());
    const { rules: _, ...search } = await searching;
    const untrusted = untrustedOf(settings);
    return { kind: 'collected', runId, commit: null, changed, violations: [], ...untrusted, ...search };
  }
  const label = `${round}/after-${attemptNumber(execution, runId)}`;
  const shadow = { task: task.id, label, basis: before, atMs: world.clock.now().wallMs };
  const { checkedIgnored, ignoredState: ignoredBase = undefined } = execution.snapshotted ?? {};
  const state = { folder: { ...folder, shadows: folder.shadows }, shadow, ignoredBase: checkedIgnored ?? ignoredBase };
  const whole = await shadowAndSearch(world, state, searching);
  const { after, search, later } = await withoutLater(world, open, { ...whole, ...state, before });
  const [found, recorded] = await Promise.all([
    after.changed ?? changedFiles(folder.shadows, { before, after: after.commit }),
    recordedState(world, folder.shadows, { task: task.id, label, shadow: after }),
  ]);
  const files = withoutSnapshots(open, found, folder);
  await noteChanges(live, open, files);
  const changed = await Promise.all(files.map((file) => changeOf(file, folder)));
  const seen = changed.map((file) => ({ ...file, path: pathFromWorkspace(file.path, order, folder) }));
  const known = new Set(files.map(({ path }) => join(folder.repository?.root ?? '', path)));
  const unseen = await changedOutputs(execution, folder, known);
  const violations = violationsOf(open, files, folder);
  const team = files.flatMap(({ path }) => (path === TEAM_FILE ? [path] : []));
  return {
    kind: 'collected',
    runId,
    commit: after.commit,
    changed: [...seen, ...unseen],
    violations,
    ...untrustedOf([...settings, ...team]),
    ...search,
    recorded,
    ...(later.length > 0 && { later }),
  };
}

/** The last word on the files of a run, before it counts as ended. */
async function noteChanges(
  { overlaps }: Pick<LiveRuns, 'overlaps'>,
  { task }: OpenOrder,
  files: readonly WrittenFile[],
): Promise<void> {
  const paths = files.slice(0, OVERLAP_PATHS_MAX).map(({ path }) => path);
  await overlaps.saw(task.id, paths);
  overlaps.end(task.id);
}

type SearchedShadow = Awaited<ReturnType<typeof shadowAndSearch>>;

/** A run that died with its node is collected by the next one: a person may have changed files and git in between. */
async function withoutLater(
  { dataFolder, clock }: WorkWorld,
  { execution, task }: OpenOrder,
  {
    after,
    search,
    before,
    folder,
    shadow,
  }: SearchedShadow & Parameters<typeof shadowAndSearch>[1] & { before: string },
): Promise<SearchedShadow & { readonly later: readonly string[] }> {
  const { end } = currentRun(execution);
  const sign = end?.kind === 'lost' && end.isCleanStop !== true ? lastSign(dataFolder, task.id) : null;
  if (sign === null) return { after, search, later: [] };
  const untilMs = sign + 2 * RUN_SIGN_MS;
  const question = { shadow: after, before, untilMs, label: shadow.label, atMs: clock.now().wallMs };
  const { shadow: left, later } = await leaveOutLater(folder.shadows, question);
  const isGitTheirs = folder.repository !== null && isGitLater(folder.repository, untilMs);
  const { gitChanges, gitState, ownCommits, ignoredChanges = [], ignoredState, ...rest } = search;
  const git = { ...(gitChanges && { gitChanges }), ...(gitState && { gitState }), ...(ownCommits && { ownCommits }) };
  const isTheirs = ({ path }: { readonly path: string }) => changedAt(folder.shadows.root, path) > untilMs;
  const ignored = ignoredChanges.some(isTheirs) ? {} : { ignoredChanges, ...(ignoredState && { ignoredState }) };
  return { after: left, search: { ...rest, ...(isGitTheirs ? {} : git), ...ignored }, later };
}

/** The team's configuration, which agents reach in a sandbox, too: it is trusted by its hash. */
const TEAM_FILE = 'baton.yaml';

/** Configuration files that changed during the run. In a sandbox no agent reaches them. */
function changedSettings(trust: SettingsTrust, { admitted, snapshotted }: OpenOrder['execution']): readonly string[] {
  const before = snapshotted?.settingsFiles ?? [];
  const now = new Map(admitted?.sandbox === 'none' && before.length > 0 ? hashesOf(trust.settingsFiles()) : []);
  return before.flatMap(({ path, sha256 }) => (now.has(path) && now.get(path) !== sha256 ? [path] : []));
}

function untrustedOf(paths: readonly string[]): Pick<CollectedFact, 'untrusted'> {
  return paths.length === 0 ? {} : { untrusted: [...new Set(paths)] };
}

function hashesOf(files: ReturnType<SettingsTrust['settingsFiles']>): [string, string | null][] {
  return files.map(({ path, sha256 }) => [path, sha256]);
}

const STATUS = { added: 'created', modified: 'updated', deleted: 'deleted', 'type-changed': 'updated' } as const;

async function changeOf(
  { path, status }: WrittenFile,
  { shadows }: WorkFolder,
): Promise<CollectedFact['changed'][number]> {
  const hashed = status === 'deleted' ? null : await hashIfThere(join(shadows?.root ?? '', path));
  return { path, status: STATUS[status], sha256: hashed?.sha256 ?? null, sizeBytes: hashed?.size ?? null };
}

/** A file that git found changed. */
type WrittenFile = Pick<FileChange, 'path' | 'status'>;

/** Writes outside of the grant. A sandbox prevents them, so with one such a change is somebody else's. */
function violationsOf({ execution }: OpenOrder, files: readonly WrittenFile[], folder: WorkFolder): readonly string[] {
  const { order, admitted } = execution;
  if (admitted?.sandbox !== 'none' || folder.repository === null) return [];
  const real = (paths: readonly string[]) => paths.flatMap((path) => realPathOf(path, order.workspaceRoot) ?? []);
  const { writePaths, readOnlyPaths } = order.access;
  return findViolations(files, {
    workspaceRoot: folder.repository.root,
    writePaths: real(writePaths),
    readOnlyPaths: real(readOnlyPaths),
  });
}

/** Leaves out the copies that Baton made for a rollback. */
function withoutSnapshots({ execution }: OpenOrder, files: readonly WrittenFile[], { repository }: WorkFolder) {
  const { outputs, workspaceRoot } = execution.order;
  const kept = new Set(
    outputs.flatMap(({ snapshot }) => (snapshot?.path ? (realPathOf(snapshot.path, workspaceRoot) ?? []) : [])),
  );
  return files.filter(({ path }) => !kept.has(join(repository?.root ?? '', path)));
}
