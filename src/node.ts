import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { RestoreAnswer } from './api/contract.ts';
import type { NodeClient } from './api/node-client.ts';
import { fullDiskClient, inProcessNode } from './calls/in-process-node.ts';
import type { ClientFor } from './calls/rights.ts';
import type { Dispatcher } from './dispatch/dispatcher.ts';
import { removeLeftPlaceholders } from './dispatch/earlier-node.ts';
import { canStartAgent } from './dispatch/order-agent.ts';
import { AskedTasks } from './dispatch/plan-tick.ts';
import { BRIEF_LOOK_TASKS_MAX, TREE_WAIT_AT_END_MS_MAX } from './domain/limits.ts';
import { isRefusal, type Refusal } from './domain/refusal.ts';
import type { TaskName } from './domain/task/task.ts';
import { openLookConnection } from './ledger/connection.ts';
import { refuseMarkedLedger } from './ledger/damage.ts';
import { isOutOfSpace, type LedgerFault } from './ledger/fault.ts';
import { Ledger } from './ledger/ledger.ts';
import { restoreLedger, treeKeptAs } from './ledger/restore.ts';
import { countOpenTasks } from './ledger/statements/tasks.ts';
import { Reader } from './ledger/tx.ts';
import { PrintedMessages } from './messages/printed-messages.ts';
import { agentViews } from './node/agents/list-agents.ts';
import { namesFile } from './node/agents/sandbox-parts.ts';
import { assertDone } from './node/assert-done.ts';
import type { FederationOnDemand } from './node/federation/federation-on-demand.ts';
import type { FeedbackService } from './node/feedback-service.ts';
import { holdFolder } from './node/folder/folder-holder.ts';
import { keptFilesOf, placeFiles, Unpacking } from './node/folder/kept-files.ts';
import { decideOldOrders } from './node/folder/lift-old-rounds.ts';
import { refuseLostEvents, refuseLostLedger } from './node/folder/lost-ledger.ts';
import { showRestored } from './node/folder/show-restored.ts';
import { invitingNode } from './node/inviting-node.ts';
import type { OrderService } from './node/order-service.ts';
import { orderWorldOf } from './node/order-world-of.ts';
import { makeRunningParts } from './node/running-parts.ts';
import type { ServerOnDemand } from './node/server-on-demand.ts';
import { OpenTree } from './open-tree/open-tree.ts';
import { prepareLedger } from './operations/ledger-upkeep.ts';
import { knownDataFolder, noteDataFolder } from './operations/note-data-folder.ts';
import { recoverRuns } from './operations/run/recover-runs.ts';
import type { BegunOrders } from './orders/order-offers.ts';
import type { OrderWorld } from './orders/order-world.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { FolderLock } from './platform/files/folder-lock.ts';
import { saveNames } from './platform/files/folder-names.ts';
import { systemFolderWatch } from './platform/files/folder-watch.ts';
import { type Ids, randomIds } from './platform/ids.ts';
import { type Logger, silentLogger } from './platform/logger.ts';
import { Port } from './platform/port.ts';
import { stayAlive } from './platform/process/own-process.ts';
import { systemTimer, type Timer, waitAtMost } from './platform/timer.ts';
import { encodeMadeTrace } from './protocols/saop/trace-message.ts';
import { recoverSessions } from './reviews/recover-sessions.ts';
import { Mirror } from './tree/mirror.ts';
import { TaskFolders } from './tree/task-folders.ts';
import { runPath } from './tree/tree-paths.ts';
import { Workplaces } from './work/place/workplaces.ts';

export interface NodeOptions {
  readonly dataFolder: string;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly timer?: Timer;
  /** The folder's lock, if the caller holds it already; closing the node releases it. */
  readonly lock?: FolderLock;
  /** For the time of one command: the folders of open tasks are read once and not watched. */
  readonly isBrief?: boolean;
  /** A person is at its terminal, or it stays on and can be called: agents may ask. */
  readonly isAttended?: boolean;
  /** Runs only tasks that its clients ask for; otherwise every waiting task. */
  readonly runsRequestedOnly?: boolean;
  readonly log?: Logger;
  /** Called when the ledger failed and only a new process can open it again. */
  onFatal?(fault: LedgerFault): void;
}

/** The parts of a started node that serve-node.ts runs. */
export interface RunningNode {
  readonly client: NodeClient;
  readonly clientFor: ClientFor;
  readonly ledger: Ledger;
  /** Not started: the caller starts it. */
  readonly openTree: OpenTree;
  /** Not started: the caller starts it. */
  readonly dispatcher: Dispatcher;
  /** Joins when it is started or first called. */
  readonly federation: FederationOnDemand;
  /** Not started: the caller starts it. */
  readonly feedback: FeedbackService;
  readonly notifier: OrderService['notifier'];
  /** Passes the address of the HTTP server to agents that start from now on. */
  announceServer(server: ServerOnDemand): void;
}

/** The composition root: parts are made and started in order, and stopped in reverse. */
export async function openNode(options: NodeOptions): Promise<NodeClient> {
  const { dataFolder } = options;
  const lock = options.lock ?? (await holdFolder(dataFolder, options.timer ?? systemTimer()));
  try {
    const { client, ledger, openTree } = await startNode(options, lock);
    if (options.isBrief) await applyEditsOnce(openTree, ledger);
    else openTree.start();
    return client;
  } catch (error) {
    return openForReads(error, options, lock);
  }
}

/** Applies edits of open tasks before a command runs. With very many open tasks, only a running node does. */
async function applyEditsOnce(openTree: OpenTree, { read }: Ledger): Promise<void> {
  openTree.startBriefly();
  if (countOpenTasks(read, BRIEF_LOOK_TASKS_MAX + 1) <= BRIEF_LOOK_TASKS_MAX) await openTree.reconcileOpen();
}

function openForReads(error: unknown, options: NodeOptions, lock: FolderLock): NodeClient {
  try {
    return openFullDisk(error, options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** On a full disk the node still answers reads. */
function openFullDisk(
  error: unknown,
  { dataFolder, clock = systemClock() }: NodeOptions,
  lock: FolderLock,
): NodeClient {
  if (!isOutOfSpace(error) || !existsSync(ledgerOf(dataFolder))) throw error;
  const db = openLookConnection(ledgerOf(dataFolder));
  const close = () => {
    db.close();
    lock.release();
  };
  return fullDiskClient({ read: new Reader(db), dataFolder, nowMs: clock.now().wallMs, close });
}

/** Starts a node for a caller that holds the lock; closing the node releases it. */
export async function startNode(options: NodeOptions, lock: FolderLock, begun: BegunOrders = {}): Promise<RunningNode> {
  const { dataFolder, clock = systemClock(), ids = randomIds(), timer = systemTimer(), log = silentLogger } = options;
  const { earlyLook } = begun;
  refuseLostLedger(dataFolder, ledgerOf(dataFolder));
  const ledger = openLedger(options, (read) => refuseLostEvents(read, dataFolder));
  try {
    await prepare(ledger, dataFolder);
    const mirror = new Mirror({ ledger, root: dataFolder, clock, ids, timer, areEditsJudged: true });
    await showRestored(ledger, mirror, dataFolder);
    const openTree = new OpenTree({ root: dataFolder, ledger, mirror, watch: systemFolderWatch, clock, ids, timer });
    // A result that an agent wrote while no node ran counts before its run is given up.
    await openTree.reconcileRuns();
    assertDone(await ledger.submit(recoverRuns, {}));
    mirror.start();
    const asked = options.runsRequestedOnly ? new AskedTasks() : null;
    const workplaces = new Workplaces((taskId) => asked?.has(ledger.read, taskId) ?? true);
    const world = orderWorldOf({ dataFolder, ledger, clock, ids, timer, log, workplaces, earlyLook });
    const server = new Port<ServerOnDemand>();
    const printed = new PrintedMessages();
    const taskFolders = new TaskFolders({ root: dataFolder, settled: (tasks) => mirror.settled(tasks) });
    const running = makeRunningParts({ ...options, offers: begun.offers, world, server, printed, taskFolders, asked });
    const { orderService, feedback, federation, reviewing } = running;
    const { dispatcher, notifier, ...orderParts } = orderService;
    await recoverOrders(world, dispatcher);
    const { client, clientFor } = inProcessNode({
      ...orderParts,
      ...keptFilesOf(dataFolder),
      ...{ ledger, clock, dataFolder },
      ...reviewing,
      reviews: feedback.reviews,
      ledgerFile: ledgerOf(dataFolder),
      federation,
      agents: () => agentViews(dataFolder),
      dashboard: async () => (await server.now?.open()) ?? null,
      inviting: invitingNode(world, () => server.now),
      hasAgent: (task) => canStartAgent(world, task),
      takeResult: (task) => takeResult(openTree, dataFolder, task),
      treeSettled: (tasks) => stayAlive(mirror.settled(tasks as readonly TaskName[] | undefined)),
      rebuildTree: () => mirror.rebuild(),
      close: async () => {
        await stopParts({ feedback, federation, openTree, mirror });
        ledger.close();
        saveNames(namesFile(dataFolder));
        lock.release();
      },
    });
    const loops = { openTree, dispatcher, federation, feedback, notifier };
    return {
      ...{ client, clientFor, ledger, ...loops },
      announceServer(shown) {
        server.connect(shown);
      },
    };
  } catch (error) {
    ledger.close();
    throw error;
  }
}

interface StoppedParts extends Pick<RunningNode, 'feedback' | 'federation' | 'openTree'> {
  readonly mirror: Mirror;
}

async function stopParts({ feedback, federation, openTree, mirror }: StoppedParts): Promise<void> {
  await feedback.stop();
  await federation.close();
  await openTree.stop();
  // Its last edits reach the tree too; the next start writes the rest.
  await waitAtMost(mirror.settled(), TREE_WAIT_AT_END_MS_MAX);
  await mirror.stop();
}

/** Ends the runs and answers of a dead node, before any of its orders continues. */
async function recoverOrders(world: OrderWorld, dispatcher: Dispatcher): Promise<void> {
  await decideOldOrders(world);
  await dispatcher.recover();
  await recoverSessions(world);
  removeLeftPlaceholders(world.dataFolder);
}

/** Notes where the ledger is, too: orders that waited at another place were given for that one. */
async function prepare(ledger: Ledger, dataFolder: string): Promise<void> {
  assertDone(await ledger.submit(prepareLedger, {}));
  const folder = realpathSync(dataFolder);
  const known = knownDataFolder(ledger.read);
  if (known === folder) return;
  const isGone = known !== null && !existsSync(ledgerOf(known));
  assertDone(await ledger.submit(noteDataFolder, { folder, isGone }));
}

/** Takes over a result that an agent has written itself. */
async function takeResult(openTree: OpenTree, dataFolder: string, task: TaskName): Promise<void> {
  if (existsSync(`${dataFolder}/${runPath(task, 'run_result.json', null)}`)) await openTree.reconcileRun(task);
}

/** Opens the ledger of a folder, whose lock the caller holds. `inspect` may refuse it before the first write. */
export function openLedger(options: NodeOptions, inspect?: (read: Reader) => void): Ledger {
  const file = ledgerOf(options.dataFolder);
  refuseMarkedLedger(file);
  return ledgerAt(file, options, inspect);
}

/** The ledger in a file, with what this node gives to its commands. */
export function ledgerAt(file: string, options: Omit<NodeOptions, 'dataFolder'>, inspect?: (read: Reader) => void) {
  // Without a listener, the calls of the failed commit and all after it fail with the fault.
  const { clock = systemClock(), ids = randomIds(), onFatal = () => {} } = options;
  return new Ledger({ file, clock, ids, encodeTrace: encodeMadeTrace, onFatal, ...(inspect && { inspect }) });
}

export interface RestoreOptions extends NodeOptions {
  /** A file that `baton backup` wrote. */
  readonly file: string;
}

/** Replaces the ledger, sound or damaged, by a backup, and writes its tree. */
export async function restoreNode(options: RestoreOptions): Promise<RestoreAnswer | Refusal> {
  const { dataFolder, file, clock = systemClock() } = options;
  const lock = await holdFolder(dataFolder, options.timer ?? systemTimer());
  try {
    const stamp = new Date(clock.now().wallMs).toISOString().replaceAll(/[-:]/g, '');
    const unpacking = new Unpacking(join(dataFolder, `restoring-${stamp}`));
    const takeFiles = (chunk: Buffer) => unpacking.take(chunk);
    const restored = restoreLedger({ file, ledger: ledgerOf(dataFolder), stamp, takeFiles });
    if (isRefusal(restored)) {
      unpacking.remove();
      return restored;
    }
    const { client } = await startNode(options, lock);
    await client.treeSettled();
    const files = placeFiles(unpacking.folder, dataFolder);
    unpacking.remove();
    await client.close();
    const tree = join(dataFolder, treeKeptAs(stamp));
    return { file, data: dataFolder, ...restored, files, treeKeptAs: existsSync(tree) ? tree : null };
  } finally {
    lock.release();
  }
}

function ledgerOf(dataFolder: string): string {
  return join(dataFolder, 'ledger.sqlite');
}
