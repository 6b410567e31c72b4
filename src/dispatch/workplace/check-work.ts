import { agentEnvironment } from '../../agents/agent-environment.ts';
import { runCommand } from '../../agents/process/run-command.ts';
import type { MissingSandbox } from '../../agents/sandbox/find-sandbox.ts';
import type { Grant, Sandbox } from '../../agents/sandbox/sandbox.ts';
import { runChecks } from '../../checks/run-checks.ts';
import { findJudgingFiles, judgesNamedBy, judgesNamedIn } from '../../domain/decisions/find-judging-files.ts';
import { checksOf, resultsOf } from '../../domain/decisions/plan-verification.ts';
import type { CheckResult, MadeCheck } from '../../domain/execution/check-result.ts';
import { type Attempt, type Execution, firstCommit } from '../../domain/execution/execution.ts';
import type { GitSearch, IgnoredFindings, OldTests, Workplace } from '../../domain/execution/findings.ts';
import { JUDGE_BYTES_MAX, JUDGES_BEHIND_MAX } from '../../domain/limits.ts';
import type { RecordedState } from '../../domain/point.ts';
import { readCommitted } from '../../workspace/read-committed.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import type { OpenOrder } from '../order-book.ts';
import type { RunWorld } from '../run-world.ts';
import { withoutDependencies } from './plan-notes.ts';
import { recordedState, shadowAndSearch } from './record-state.ts';
import { inScratch } from './scratch-folder.ts';
import {
  folderOfExecution,
  grantOfOrder,
  pathFromRoot,
  pathsToCheck,
  placesIn,
  type WorkFolder,
  workFolderOf,
} from './work-folder.ts';

interface CheckQuestion {
  readonly workplace: Workplace;
  readonly folder: WorkFolder;
  /** The state before the checks. */
  readonly basis: string | null;
  /** The label of the state after the checks, unique within the round. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** The saved state of ignored files before the work; undefined where there is none. */
  readonly ignoredBase: string | undefined;
  /** Searches for what git executes after the checks, which run the agent's code; null before the work. */
  readonly search: (() => Parameters<typeof shadowAndSearch>[2]) | null;
}

interface Recorded {
  /** The shadow commit after the checks; null if no program ran. */
  readonly commit: string | null;
  readonly recorded?: RecordedState;
}

/**
 * Runs every check and records the files after them: a check may write files, which are neither the agent's work nor
 * the user's. The commit is null if no program ran.
 */
export async function checkWork(
  world: RunWorld,
  { task, round, execution }: OpenOrder,
  { workplace, folder, basis, name, signal, search, ignoredBase }: CheckQuestion,
): Promise<Verification & GitSearch & IgnoredFindings & Recorded> {
  const found = await verifyWork(world, { task: task.id, execution, workplace, signal });
  const hasRun = found.made.some(({ argv }) => argv !== null);
  if (!hasRun) return { ...found, commit: null };
  const searching = search?.() ?? Promise.resolve({ rules: undefined });
  if (folder.shadows === null || basis === null) {
    const { rules: _, ...searched } = await searching;
    return { ...found, commit: null, ...searched };
  }
  const shadow = { task: task.id, label: `${round}/${name}`, basis, atMs: world.clock.now().wallMs };
  const state = { folder: { ...folder, shadows: folder.shadows }, shadow, ignoredBase };
  const { after, search: searched } = await shadowAndSearch(world, state, searching);
  // The agent's own are those from before the checks.
  const { ignoredChanges: _, ...rest } = searched;
  const recorded = await recordedState(world, folder.shadows, { task: task.id, label: shadow.label, shadow: after });
  return { ...found, commit: after.commit, recorded, ...rest };
}

interface Verification {
  readonly results: readonly CheckResult[];
  readonly made: readonly MadeCheck[];
}

interface VerifyQuestion {
  readonly task: string;
  readonly execution: Execution;
  readonly workplace: Workplace;
  readonly signal?: AbortSignal;
}

/** Runs every check of an order in the folder and with the rights of its agent. */
export async function verifyWork(world: RunWorld, asked: VerifyQuestion): Promise<Verification> {
  const { execution, workplace } = asked;
  const { head = null, repository } = execution.snapshotted ?? {};
  const { order, attempts } = execution;
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head, repository });
  const agentStartedAt = attempts.find(({ startedAt }) => startedAt > 0)?.startedAt;
  return verifyCopy(world, { ...asked, agentStartedAt }, folder);
}

interface CopyQuestion extends Omit<VerifyQuestion, 'workplace'> {
  /** A newer link must not lead a check out of the workspace. In a copy every link is new, so none is judged there. */
  readonly agentStartedAt?: number | undefined;
}

/** The same in a folder that is not the workplace of the order, such as a scratch copy. */
export async function verifyCopy(
  world: RunWorld,
  { execution, task, signal, agentStartedAt }: CopyQuestion,
  folder: WorkFolder,
): Promise<Verification> {
  const { order } = execution;
  const checks = checksOf(order);
  if (checks.length === 0) return { results: resultsOf(order, []), made: [] };
  const around = await checkSurroundings(world, { task: { id: task }, execution }, folder);
  const made = await runChecks(checks, {
    run: async (command) => {
      if ('reason' in around) return { kind: 'could-not-run', reason: around.reason };
      const { sandbox, env, secrets, grant } = around;
      const request = { ...command, env, secrets, grant, signal };
      return withoutDependencies(await runCommand(sandbox, request, world.timer), filesOf(order, folder));
    },
    places: placesIn(order, folder),
    isShellAllowed: order.isShellAllowed,
    agentStartedAt,
    signal,
  });
  return { results: resultsOf(order, made), made };
}

/** The folder in which the files of the workspace are on this machine. */
function filesOf({ workspaceRoot }: Execution['order'], { repository, shadows, mounts }: WorkFolder): string {
  const root = repository?.root ?? workspaceRoot;
  return shadows?.root ?? mounts.find(({ at }) => at === root)?.from ?? root;
}

interface CheckSurroundings {
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly grant: Grant;
}

interface CheckedOrder {
  readonly task: { readonly id: string };
  readonly execution: Pick<Execution, 'order' | 'admitted' | 'attempts'>;
}

/** The sandbox, environment and grant of an order's checks: those of its agent, without its driver's needs. */
export async function checkSurroundings(
  world: RunWorld,
  { task, execution }: CheckedOrder,
  folder: WorkFolder,
): Promise<CheckSurroundings | MissingSandbox> {
  const { order, admitted, attempts } = execution;
  const isSandboxed = admitted?.sandbox !== 'none';
  const sandbox = isSandboxed ? await world.sandbox() : world.open;
  if ('kind' in sandbox) return sandbox;
  const run = { taskId: task.id, runId: attempts.at(-1)?.runId ?? '', sessionId: order.sessionId, door: null };
  const { env, secrets } = agentEnvironment({ variables: world.environment, envNames: [], env: {}, run, isSandboxed });
  const { foldersToHide } = world;
  const { checkHosts: hosts, memoryBytesMax } = order;
  const writePaths = pathsToCheck(order, folder);
  const grant = await grantOfOrder({ order, folder, foldersToHide, readPaths: [], writePaths, hosts, memoryBytesMax });
  return { sandbox, env, secrets, grant };
}

/** An attempt whose checks passed. */
interface PassedAttempt {
  readonly attempt: Attempt;
  readonly verification: Verification;
  readonly signal: AbortSignal;
}

/**
 * Runs the checks once more where the work changed files that judge it: in a scratch copy that has those files as they
 * were before. Null if the work changed none, or if a check failed anyway.
 */
export async function checkOldTests(world: RunWorld, at: OpenOrder, passed: PassedAttempt): Promise<OldTests | null> {
  const { attempt, signal } = passed;
  const { execution } = at;
  const folder = folderOfExecution(execution, world.dataFolder);
  const [before, after] = [firstCommit(execution), attempt.collected?.commit ?? null];
  const files = await judgingFiles(at, passed, folder);
  if (files.length === 0) return null;
  if (folder.shadows === null || folder.repository === null || before === null || after === null) {
    return { files, result: 'not-compared', message: 'there is no git to take the earlier files from' };
  }
  const paths = files.map((path) => pathFromRoot(path, execution.order, folder));
  const shadows = { ...folder.shadows, signal };
  const tryWith = (earlier: readonly string[]) =>
    inScratch(world, { at, folder, shadows, wanted: { before, after, paths: earlier } }, (copy) =>
      verifyCopy(world, { task: at.task.id, execution: copy.execution, signal }, copy.folder),
    );
  const failed = firstFailure(await tryWith(paths));
  if (failed === null) return { files, result: 'passed', message: 'the checks pass with the earlier versions, too' };
  // The same copy with the new files tells whether the copy itself is to blame.
  const control = firstFailure(await tryWith([]));
  if (control === null) return { files, result: 'failed', message: failed };
  return { files, result: 'not-compared', message: `the checks do not pass in a copy of the workspace: ${control}` };
}

async function judgingFiles({ execution }: OpenOrder, { attempt, verification }: PassedAttempt, folder: WorkFolder) {
  const { made, results } = verification;
  const changed = attempt.collected?.changed ?? [];
  if (changed.length === 0 || results.some(isBad)) return [];
  const { order } = execution;
  const { outputs, workspaceRoot } = order;
  const before = firstCommit(execution);
  const fromRoot = (path: string) => pathFromRoot(path, order, folder);
  const behind = folder.shadows && before && (await judgesBehind(folder.shadows, { made, before, fromRoot }));
  return findJudgingFiles({ made, changed, outputs, workspaceRoot, ...(behind && { behind }) });
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
