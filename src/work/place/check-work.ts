import { agentEnvironment } from '../../agents/agent-environment.ts';
import { executeCommand } from '../../agents/process/execute-command.ts';
import type { MissingSandbox } from '../../agents/sandbox/find-sandbox.ts';
import type { Grant, Sandbox } from '../../agents/sandbox/sandbox.ts';
import { runChecks } from '../../checks/run-checks.ts';
import type { CheckResult, MadeCheck } from '../../domain/execution/check-result.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { GitSearch, IgnoredFindings, Workplace } from '../../domain/execution/findings.ts';
import { hasRunBefore } from '../../domain/work/has-run-before.ts';
import { checksOf, resultsOf } from '../../domain/work/plan-verification.ts';
import type { RecordedState } from '../../domain/work/point.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { earlierRounds } from '../../ledger/statements/run-facts.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import type { WorkWorld } from '../work-world.ts';
import { withoutDependencies } from './plan-notes.ts';
import { recordedState, shadowAndSearch } from './record-state.ts';
import { grantOfOrder, pathsToCheck, placesIn, type WorkFolder, workFolderOf } from './work-folder.ts';

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

interface RecordedWork {
  /** The shadow commit after the checks; null if no program ran. */
  readonly commit: string | null;
  readonly recorded?: RecordedState;
}

/**
 * Runs every check and records the files after them: a check may write files, which are neither the agent's work nor
 * the user's. The commit is null if no program ran.
 */
export async function checkWork(
  world: WorkWorld,
  { task, round, execution }: OpenOrder,
  { workplace, folder, basis, name, signal, search, ignoredBase }: CheckQuestion,
): Promise<Verification & GitSearch & IgnoredFindings & RecordedWork> {
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

export interface Verification {
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
export async function verifyWork(world: WorkWorld, asked: VerifyQuestion): Promise<Verification> {
  const { execution, workplace } = asked;
  const { head = null, repository } = execution.snapshotted ?? {};
  const { order, attempts } = execution;
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head, repository });
  const agentStartedAt = attempts.find(({ startedAt }) => startedAt > 0)?.startedAt;
  const canRun = (argv: readonly string[]) => hasRunBefore(argv, workplace, [execution, ...earlierOf(world, asked)]);
  return verifyCopy(world, { ...asked, agentStartedAt, canRun }, folder);
}

function earlierOf({ ledger }: WorkWorld, { task }: VerifyQuestion): readonly Execution[] {
  const row = selectOrder(ledger.read, task);
  return row === null ? [] : earlierRounds(ledger.read, row);
}

interface CopyQuestion extends Omit<VerifyQuestion, 'workplace'> {
  /** A newer link must not lead a check out of the workspace. In a copy every link is new, so none is judged there. */
  readonly agentStartedAt?: number | undefined;
  /** Whether the command is known to run in this folder; of a copy nothing is known. */
  readonly canRun?: (argv: readonly string[]) => boolean;
}

/** The same in a folder that is not the workplace of the order, such as a scratch copy. */
export async function verifyCopy(
  world: WorkWorld,
  { execution, task, signal, agentStartedAt, canRun = () => false }: CopyQuestion,
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
      const end = await executeCommand(sandbox, request, world.timer);
      const lacking = withoutDependencies(end, filesOf(order, folder));
      return lacking === null || canRun(command.argv) ? end : lacking;
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
  world: WorkWorld,
  { task, execution }: CheckedOrder,
  folder: WorkFolder,
): Promise<CheckSurroundings | MissingSandbox> {
  const { order, admitted, attempts } = execution;
  const isSandboxed = admitted?.sandbox !== 'none';
  const sandbox = isSandboxed ? await world.sandboxes.sandbox() : world.sandboxes.open;
  if ('kind' in sandbox) return sandbox;
  const run = { taskId: task.id, runId: attempts.at(-1)?.runId ?? '', sessionId: order.sessionId, endpoint: null };
  const { env, secrets } = agentEnvironment({ variables: world.environment, envNames: [], env: {}, run, isSandboxed });
  const { foldersToHide } = world.sandboxes;
  const { checkHosts: hosts, memoryBytesMax } = order;
  const writePaths = pathsToCheck(order, folder);
  const grant = await grantOfOrder({ order, folder, foldersToHide, readPaths: [], writePaths, hosts, memoryBytesMax });
  return { sandbox, env, secrets, grant };
}
