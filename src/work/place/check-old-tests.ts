import { existsSync, lstatSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CheckResult, MadeCheck } from '../../domain/execution/check-result.ts';
import type { Attempt } from '../../domain/execution/execution.ts';
import type { OldTests } from '../../domain/execution/findings.ts';
import { firstCommit } from '../../domain/execution/recorded-changes.ts';
import { JUDGE_BYTES_MAX, JUDGES_BEHIND_MAX } from '../../domain/limits.ts';
import { withoutEnd } from '../../domain/words/without-end.ts';
import { findAddedJudges, TOOL_FOLDERS } from '../../domain/work/find-added-judges.ts';
import { findJudgingFiles, isTestFile, judgesNamedBy, judgesNamedIn } from '../../domain/work/find-judging-files.ts';
import { isWithin, wholePath } from '../../domain/work/path-text.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { findNewIgnored, type NewIgnored } from '../../workspace/ignored/find-new-ignored.ts';
import { savedIgnored } from '../../workspace/ignored/saved-ignored.ts';
import { namesCommitted, readCommitted } from '../../workspace/read-committed.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import type { WorkWorld } from '../work-world.ts';
import { type Verification, verifyCopy } from './check-work.ts';
import { inScratch } from './scratch-folder.ts';
import {
  folderOfExecution,
  pathFromRoot,
  pathFromWorkspace,
  type WorkFolder,
  workspaceInRepository,
} from './work-folder.ts';

/** The number of added files that are named: a package may have thousands. */
const ADDED_TOLD_MAX = 100;

/** An attempt whose checks passed. */
interface PassedAttempt {
  readonly attempt: Attempt;
  readonly verification: Verification;
  readonly signal: AbortSignal;
}

/**
 * Runs the checks once more where the work changed or added files that judge it: in a scratch copy that has those files as
 * they were before. Null if the work has none, or if a check failed anyway.
 */
export async function checkOldTests(
  world: WorkWorld,
  open: OpenOrder,
  passed: PassedAttempt,
): Promise<OldTests | null> {
  const { attempt, signal, verification } = passed;
  const { execution } = open;
  if (verification.made.length === 0 || verification.results.some(isBad)) return null;
  const folder = folderOfExecution(execution, world.dataFolder);
  const [before, after] = [firstCommit(execution), attempt.collected?.commit ?? null];
  const changed = await judgingFiles(open, passed, folder);
  if (folder.shadows === null || folder.repository === null || before === null || after === null) {
    const message = 'there is no git to take the earlier files from';
    return changed.length === 0 ? null : { files: changed, result: 'not-compared', message };
  }
  const shadows = { ...folder.shadows, signal };
  const paths = changed.map((path) => pathFromRoot(path, execution.order, folder));
  const found = await addedJudges(world, open, { passed, folder, shadows, before });
  const judges = found.filter((path) => !paths.includes(path));
  if (paths.length + judges.length === 0) return null;
  const added = judges.slice(0, ADDED_TOLD_MAX).map((path) => pathFromWorkspace(path, execution.order, folder));
  const about = { files: [...changed, ...added], ...(added.length > 0 && { added }) };
  const tryWithout = (left: readonly string[]) =>
    inScratch(world, { work: open, folder, shadows, wanted: { before, after, paths: left } }, (copy) =>
      verifyCopy(world, { task: open.task.id, execution: copy.execution, signal }, copy.folder),
    );
  const failed = firstFailure(await tryWithout([...paths, ...judges]));
  if (failed === null) return { ...about, result: 'passed', message: 'the checks pass with the earlier versions, too' };
  // The same copy with the new files tells whether the copy itself is to blame.
  const control = firstFailure(await tryWithout([]));
  if (control === null) return { ...about, result: 'failed', message: failed };
  return { ...about, result: 'not-compared', message: `the checks do not pass in a copy of the workspace: ${control}` };
}

async function judgingFiles({ execution }: OpenOrder, { attempt, verification }: PassedAttempt, folder: WorkFolder) {
  const { made } = verification;
  const changed = attempt.collected?.changed ?? [];
  if (changed.length === 0) return [];
  const { order } = execution;
  const { outputs, workspaceRoot } = order;
  const before = firstCommit(execution);
  const fromRoot = (path: string) => pathFromRoot(path, order, folder);
  const behind = folder.shadows && before && (await judgesBehind(folder.shadows, { made, before, fromRoot }));
  return findJudgingFiles({ made, changed, outputs, workspaceRoot, ...(behind && { behind }) });
}

interface AddedQuestion {
  readonly passed: PassedAttempt;
  readonly folder: WorkFolder;
  readonly shadows: ShadowPlace;
  /** The commit from before the work. */
  readonly before: string;
}

/** New files that judge the work, from the root of the repository. */
async function addedJudges(world: WorkWorld, open: OpenOrder, question: AddedQuestion): Promise<readonly string[]> {
  const { passed, folder, shadows, before } = question;
  const { order } = open.execution;
  const words = wordsOf(passed.verification.made);
  const created = (passed.attempt.collected?.changed ?? [])
    .filter(({ path, status }) => status === 'created' && !isAskedFor(path, order, words))
    .map(({ path }) => pathFromRoot(path, order, folder));
  const ignored = await newIgnored(world, open, question);
  if (created.length + ignored.paths.length === 0) return [];
  const names = new Set(await namesCommitted(shadows, before));
  const workspace = workspaceInRepository(order, folder.repository);
  const inside = workspace === '' ? '' : `${workspace}/`;
  return findAddedJudges({
    recorded: created,
    ignored: ignored.paths,
    startFolders: [inside, ...words.filter(isPlainPath).map((word) => `${inside}${withoutEnd(word, '/')}/`)],
    hadTests: [...names].some((name) => name.startsWith(inside) && isTestFile(name)),
    wasThere: (path) => names.has(path) || ignored.wasThere(path),
    isProgram: (name) => isProgram(name, world.environment.PATH ?? ''),
  });
}

function wordsOf(made: readonly MadeCheck[]): readonly string[] {
  const words = made.flatMap(({ argv }) => (argv ?? []).flatMap((word) => word.split(/[\s"';&|]+/)));
  return words.map((word) => word.replace(/^(\.\/+)+/, ''));
}

/** The order expects the file, or a check names it. */
function isAskedFor(
  path: string,
  { outputs, workspaceRoot }: OpenOrder['execution']['order'],
  words: readonly string[],
) {
  const expected = outputs.flatMap((output) => (output.path === null ? [] : [wholePath(workspaceRoot, output.path)]));
  return words.includes(path) || expected.some((output) => isWithin(output, wholePath(workspaceRoot, path)));
}

function isPlainPath(word: string): boolean {
  return /^[\w@][\w@./-]*$/.test(word) && !word.includes('..');
}

function isProgram(name: string, path: string): boolean {
  return path.split(delimiter).some((folder) => isAbsolute(folder) && existsSync(join(folder, name)));
}

const NOTHING_NEW: NewIgnored = { paths: [], wasThere: () => false };

/** In place the saved state tells what is new. In a worktree it is whatever came since the agent's start. */
async function newIgnored(world: WorkWorld, { execution }: OpenOrder, question: AddedQuestion): Promise<NewIgnored> {
  const { shadows: place, folder, passed } = question;
  const isLookedAt = (entry: string) => TOOL_FOLDERS.test(entry) || isTestFile(entry);
  const sinceMs = execution.attempts.find(({ startedAt }) => startedAt > 0)?.startedAt ?? 0;
  const { root } = folder.repository ?? place;
  if (place.root !== root) {
    const found = await findNewIgnored({ place, before: null, sinceMs, isLookedAt });
    const isShared = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
    return { ...found, wasThere: (path) => found.wasThere(path) || isShared(path) };
  }
  const { ignoredState, checkedIgnored = ignoredState } = execution.snapshotted ?? {};
  const changes = passed.attempt.collected?.ignoredChanges ?? [];
  const before = checkedIgnored === undefined ? null : savedIgnored(world.dataFolder, checkedIgnored);
  if (before === null || !changes.some(({ change }) => change === 'created')) return NOTHING_NEW;
  return await findNewIgnored({ place, before, sinceMs, isLookedAt });
}

function isBad({ result }: CheckResult): boolean {
  return result === 'failed' || result === 'could-not-run';
}

const SAID_CHARACTERS_MAX = 300;

/** The first failed check, with the last line of its output that names an error: in a copy nothing else shows it. */
function firstFailure({ results }: Verification): string | null {
  const failed = results.find(isBad);
  if (failed === undefined) return null;
  const lines = failed.tail.trim().split('\n');
  const said = (lines.findLast((line) => /error|fail/i.test(line)) ?? lines.at(-1) ?? '').trim();
  return said === '' || failed.message.includes(said)
    ? failed.message
    : `${failed.message} (${said.slice(0, SAID_CHARACTERS_MAX)})`;
}

interface JudgeQuestion {
  readonly made: readonly MadeCheck[];
  /** The commit from before the work. */
  readonly before: string;
  /** A path of the workspace, from the root of the repository. */
  fromRoot(path: string): string;
}

/** The files behind those that the checks name, as they were before the work: scripts of scripts, and data that they read. */
async function judgesBehind(
  shadows: ShadowPlace,
  { made, before, fromRoot }: JudgeQuestion,
): Promise<readonly string[]> {
  const found = new Set(judgesNamedBy(made));
  for (const path of found) {
    if (found.size > JUDGES_BEHIND_MAX) break;
    const text = await readCommitted(shadows, { commit: before, path: fromRoot(path), bytesMax: JUDGE_BYTES_MAX });
    for (const name of text === null ? [] : judgesNamedIn(path, text)) found.add(name);
  }
  return [...found];
}
