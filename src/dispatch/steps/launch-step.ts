import type { Grant } from '../../agents/sandbox/sandbox.ts';
import { attemptNumber, countedBy, currentRun, refusalsInARow } from '../../domain/execution/execution.ts';
import type { AttemptEnd } from '../../domain/execution/fact.ts';
import { firstCommit } from '../../domain/execution/recorded-changes.ts';
import { sessionToResume } from '../../domain/execution/vendor-session.ts';
import type { DayLimit } from '../../domain/order/budget.ts';
import { loopbackPortsOf } from '../../domain/order/network-word.ts';
import { promptOf } from '../../domain/order/prompt.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import { selectLastPoint } from '../../ledger/statements/points.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { changedBetween } from '../../work/place/between-attempts.ts';
import { continuationFor, earlierWork, recordTold, wordsFor } from '../../work/place/continuation.ts';
import { priorResults } from '../../work/place/prior-work.ts';
import { givenFiles, TASK_FOLDER_SHOWN_AT, taskFolderOf, withTaskFolder } from '../../work/place/task-folder.ts';
import { folderOfExecution, grantOfOrder, pathsToWrite } from '../../work/place/work-folder.ts';
import type { RecordedFolder } from '../../work/recorded-folder.ts';
import { rulesBefore } from '../../workspace/executed-by-git/search-executed.ts';
import type { BoundedLaunch, EndedFact, RunningAttempt } from '../attempt/attempt.ts';
import { overDay } from '../attempt/attempt-end.ts';
import { startAttempt } from '../attempt/start-attempt.ts';
import { agentOfOrder } from '../order-agent.ts';
import type { StopSignals } from '../order-stop.ts';
import type { StepParts } from './step-parts.ts';

/** Starts the agent of the attempt with the prompt, the grant and the limits of its order. */
export async function launchStep(parts: StepParts, open: OpenOrder, signals: StopSignals): Promise<RunningAttempt> {
  const { world, live, talk } = parts;
  const said = wordsFor(world, open);
  const request = await requestOf(parts, open, { said, signals });
  if (request === null) return goneAgent(world, open);
  const spent = await daySpent(parts, request);
  if (spent !== null) return notStarted(world, open, { code: 'budget-exceeded', message: spent, cap: 'day' });
  const { resume = null } = request;
  const mailed = await withMail(parts, request);
  crashPoint('message.taken');
  // Before the agent starts: afterwards nobody could tell whose change it is.
  const theirs = await changedBetween(world, open);
  const attempt = await startAttempt({ ...world, live, talk }, mailed);
  await recordTold(world, open, said);
  return { ...attempt, fallback: fallbackOf(world, request), resumed: resume, theirs };
}

/** Messages that wait for the agent come with its prompt. They are taken last: an agent that does not start gets none. */
async function withMail({ talk }: StepParts, request: BoundedLaunch<RunHolder>): Promise<BoundedLaunch<RunHolder>> {
  const { ordered } = request.prompt;
  const mail = ordered === null ? [] : await talk.mail.take(request.run.holder, 'prompt');
  return ordered === null || mail.length === 0 ? request : { ...request, prompt: promptOf({ ...ordered, mail }) };
}

/** Returns why a paid agent does not start: the daily budget is used up. */
async function daySpent(
  { world, live }: StepParts,
  { agent, limits }: BoundedLaunch<RunHolder>,
): Promise<string | null> {
  const { day = null } = limits;
  if (day === null || !world.roster.drivers[agent.driver]?.hasRemoteModel) return null;
  const spent = { usdMax: day.usdMax, usd: await live.daySpend.usd() };
  return spent.usd < spent.usdMax ? null : overDay(spent);
}

/** aop:version-fallback: an alternative gets the v1 prompt only once its turn comes, so the sender learns of it then. */
function fallbackOf({ edge, clock }: OrderWorld, { agent, prompt: { ordered } }: BoundedLaunch<RunHolder>) {
  const alternative = ordered?.attempts.at(-1)?.alternative ?? null;
  if (ordered === null || alternative === null) return null;
  const { order, message } = ordered;
  return edge.noteUnreadVersion({ order, message, agent, alternative, atMs: clock.now().wallMs });
}

/** Null if admission did not record the agent and it is no longer configured. */
async function requestOf(
  parts: StepParts,
  open: OpenOrder,
  { said, signals }: { readonly said: ReturnType<typeof wordsFor>; readonly signals: StopSignals },
): Promise<BoundedLaunch<RunHolder> | null> {
  const { world } = parts;
  const { task, provenance, orderedAt, execution } = open;
  const { runId } = currentRun(execution);
  const { order, admitted, attempts } = execution;
  const agent = agentOfOrder(world.roster, admitted, attempts.at(-1)?.agent);
  if (!agent) return null;
  const { onQuota, prices, questionTimeoutMs } = order.settings;
  const message =
    execution.message === undefined ? world.edge.readStoredMessage(order, provenance, orderedAt) : execution.message;
  const before = earlierWork(world, open);
  const canResume = world.roster.drivers[agent.driver]?.can.resume ?? false;
  const session = canResume ? sessionToResume([...before.earlier, ...attempts]) : null;
  const taskFolder = await taskFolderOf(parts.taskFolders, open);
  const [continuation, grant] = await Promise.all([
    continuationFor(world, open, { ...before, isResumed: session !== null, said }),
    agentGrant(world, open),
  ]);
  const holder = { taskId: task.id, taskUid: task.uid, runId, agent: agent.name };
  return {
    prompt: promptOf({
      ...{ order, message, orderedAt, attempts, continuation },
      prior: priorResults(world, open),
      given: givenFiles(taskFolder, admitted?.sandbox !== 'none'),
    }),
    resume: session?.id ?? null,
    forks: before.rewoundTo !== undefined,
    ...(session && { spentInSession: session.spent }),
    agent,
    workspace: order.workspaceRoot,
    grant: taskFolder === null ? grant : withTaskFolder(grant, taskFolder),
    taskFolder: taskFolder && { root: taskFolder.root, shownAt: TASK_FOLDER_SHOWN_AT },
    isSandboxed: admitted?.sandbox !== 'none',
    profile: order.target.profile,
    isHeadless: order.target.isHeadless,
    run: { runId, agent: holder.agent, sessionId: order.sessionId, holder },
    limits: {
      policy: order.policy,
      budget: order.budget,
      spentBefore: countedBy(execution),
      day: dayLimit(parts, open),
      quota: { onQuota: onQuota.ofAgent[agent.name] ?? onQuota.usual, hitsBefore: refusalsInARow(execution) },
    },
    prices,
    questionTimeoutMs,
    account: world.roster.accountOf(agent),
    recorded: recordedFolder(world, open),
    ...signals,
  };
}

/** Null where nothing is recorded: without git, and for an agent that may write nothing. */
function recordedFolder(world: OrderWorld, { execution, task, round }: OpenOrder): RecordedFolder | null {
  const { shadows } = folderOfExecution(execution, world.dataFolder);
  const commit = selectLastPoint(world.ledger.read, task.id)?.commit ?? firstCommit(execution);
  if (shadows === null || commit === null || execution.order.access.writePaths.length === 0) return null;
  const inventory = execution.snapshotted?.gitInventory;
  const rules = inventory ? rulesBefore(world.dataFolder, inventory) : null;
  const { runId } = currentRun(execution);
  const began = firstCommit(execution) ?? commit;
  return { place: shadows, labels: `${round}/turn-${attemptNumber(execution, runId)}-`, commit, began, rules };
}

/** The cap of the day is that of the node at this moment, not of the order. */
function dayLimit({ world, live }: StepParts, { execution }: OpenOrder): DayLimit | null {
  const { dayUsdMax } = world.roster.settings();
  if (dayUsdMax === null || execution.isDayCapLifted) return null;
  return live.daySpend.limitOf(currentRun(execution).runId, dayUsdMax);
}

function agentGrant(world: OrderWorld, { execution }: OpenOrder): Promise<Grant> {
  const { order } = execution;
  const { hosts, memoryBytesMax } = order;
  return grantOfOrder({
    order,
    folder: folderOfExecution(execution, world.dataFolder),
    foldersToHide: world.sandboxes.foldersToHide,
    readPaths: [],
    writePaths: pathsToWrite(order),
    hosts,
    loopbackPorts: loopbackPortsOf(hosts),
    memoryBytesMax,
  });
}

function goneAgent(world: OrderWorld, open: OpenOrder): RunningAttempt {
  const { execution } = open;
  const message = `it did not start: the agent ${execution.attempts.at(-1)?.agent} is not configured any more`;
  return notStarted(world, open, { code: 'agent-not-found', message, isNotStarted: true });
}

type FailedEnd = Extract<AttemptEnd, { readonly kind: 'failed' }>;

function notStarted(
  { clock }: OrderWorld,
  { execution }: OpenOrder,
  failure: Pick<FailedEnd, 'code' | 'message' | 'isNotStarted' | 'cap'>,
): RunningAttempt {
  const ended: EndedFact = {
    kind: 'ended',
    runId: currentRun(execution).runId,
    end: { kind: 'failed', claim: null, ...failure },
    spend: { costUsd: 0, tokens: 0, tokensInput: 0, tokensOutput: 0, tier: null },
    warnings: [],
    progress: null,
    at: clock.now().wallMs,
  };
  return { process: null, ended: Promise.resolve(ended), receive: () => {}, tell: () => false };
}
