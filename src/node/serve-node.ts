import { join } from 'node:path';
import { removeDeadSockets } from '../agents/sandbox/bubblewrap/network-access.ts';
import type { NodeClient } from '../api/node-client.ts';
import { RecoverySweep } from '../dispatch/recovery-sweep.ts';
import { LATE_SERVER_MS, TREE_WAIT_MS_MAX } from '../domain/limits.ts';
import type { ExternalService, ExternalServiceParts } from '../external/external-service.ts';
import type { LedgerFault } from '../ledger/fault.ts';
import { type NodeOptions, type RunningNode, startNode } from '../node.ts';
import type { BegunOrders } from '../orders/order-offers.ts';
import { asleepMs, type Clock, systemClock } from '../platform/clock.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { systemTimer, type Timer, waitAtMost } from '../platform/timer.ts';
import { holdFolder } from './folder/folder-holder.ts';
import { LedgerGuard } from './ledger-guard.ts';
import { openServer, type ServerOptions } from './open-server.ts';
import { ServerOnDemand } from './server-on-demand.ts';

export interface ServeOptions extends NodeOptions {
  /** The address of the HTTP server. */
  readonly place: Pick<ServerOptions, 'host' | 'port' | 'tls' | 'names'>;
  readonly log: Logger;
  /**
   * Opens the HTTP server when the first order starts, or a moment later. Opening it takes as long as the rest of the start, and
   * while an order starts this process waits for git anyway.
   */
  readonly isServerLate?: boolean;
}

/** A node that other processes can call. */
export interface ServedNode {
  readonly server: ServerOnDemand;
  readonly client: NodeClient;
  isDamaged(): boolean;
  /** Resolves with the next change of the ledger. */
  changed(): Promise<void>;
  /** Finishes running requests and releases the folder. `isAsked`: somebody asked for it, by a signal or `baton down`. */
  stop(how?: { readonly isAsked: boolean }): Promise<void>;
}

type Parts = ServeOptions & { readonly clock: Clock; readonly timer: Timer };

/** Runs a node with its loops, its HTTP server and node.json, until it is stopped. */
export async function serveNode(options: ServeOptions, begun: BegunOrders = {}): Promise<ServedNode> {
  const { timer = systemTimer(), clock = systemClock() } = options;
  const { dataFolder } = options;
  const lock = options.lock ?? (await holdFolder(dataFolder, timer));
  try {
    const node = await startNode(options, lock, begun);
    return await serve(node, { ...options, timer, clock });
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function serve(node: RunningNode, parts: Parts): Promise<ServedNode> {
  const { client, ledger, openTree, dispatcher } = node;
  const { dataFolder, log, timer, clock, place, isServerLate = false } = parts;
  const ledgerFile = join(dataFolder, 'ledger.sqlite');
  const onLost = (fault: LedgerFault) => parts.onFatal?.(fault);
  const guard = new LedgerGuard({ ledger, ledgerFile, clock, timer, log, onLost });
  const sweep = new RecoverySweep({ ledger, timer, clock, log, asleepMs });
  try {
    await guard.start();
    removeDeadSockets();
    const onFault = (error: unknown) => log.log('door.failed', faultFacts(error));
    const watched = guard.watch(client);
    const clientFor: RunningNode['clientFor'] = (caller) =>
      caller.kind === 'operator' ? watched : node.clientFor(caller);
    const isSound = () => !guard.isDamaged;
    const server = new ServerOnDemand(async () => {
      const external = onceLoaded(() => openExternal({ dataFolder, ledger, timer, clock, onFault }));
      const through = { dataFolder, clientFor, ledger, timer, clock, ...place, onFault, isSound, external };
      const opened = await openServer({ ...through, areRoutesLate: isServerLate });
      log.log('node.started', { data: dataFolder, url: opened.file.url, pid: opened.file.pid });
      return opened;
    });
    node.announceServer(server);
    if (isServerLate) timer.after(LATE_SERVER_MS, () => void server.open().catch(onFault));
    else await server.open();
    sweep.start();
    openTree.start();
    dispatcher.start();
    node.federation.start();
    if (!parts.runsRequestedOnly) node.feedback.start();
    await node.notifier.start();
    const stop: ServedNode['stop'] = ({ isAsked } = { isAsked: false }) =>
      stopInOrder({ client, guard, sweep, dispatcher, notifier: node.notifier, server, log, isAsked });
    return { server, client: watched, isDamaged: () => guard.isDamaged, changed: () => nextCommit(ledger), stop };
  } catch (error) {
    await guard.stop(false);
    await client.close();
    throw error;
  }
}

interface ExternalPlace extends Omit<ExternalServiceParts, 'key'> {
  readonly dataFolder: string;
}

/** Behind an import of its own: a node without external agents loads none of it. */
async function openExternal({ dataFolder, ...parts }: ExternalPlace): Promise<ExternalService> {
  const [{ ExternalService: Service }, { openNodeKey }] = await Promise.all([
    import('../external/external-service.ts'),
    import('../platform/node-key.ts'),
  ]);
  return new Service({ ...parts, key: openNodeKey(dataFolder) });
}

/** Loads once; after a failure the next caller tries again. */
function onceLoaded<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

function nextCommit(ledger: RunningNode['ledger']): Promise<void> {
  return new Promise((resolve) => {
    const forget = ledger.onCommitted(() => {
      forget();
      resolve();
    });
  });
}

interface NodeParts {
  readonly client: NodeClient;
  readonly guard: LedgerGuard;
  readonly sweep: RecoverySweep;
  readonly dispatcher: RunningNode['dispatcher'];
  readonly notifier: RunningNode['notifier'];
  readonly server: ServerOnDemand;
  readonly log: Logger;
  readonly isAsked: boolean;
}

/** Accepts no new requests, finishes accepted ones, waits for the tree, releases the folder. */
async function stopInOrder({
  client,
  guard,
  sweep,
  dispatcher,
  notifier,
  server,
  log,
  isAsked,
}: NodeParts): Promise<void> {
  await server.close();
  await dispatcher.stop();
  await sweep.stop();
  await notifier.stop();
  await waitAtMost(client.treeSettled(), TREE_WAIT_MS_MAX);
  await guard.stop(isAsked);
  await client.close();
  removeDeadSockets();
  log.log('node.stopped');
}
