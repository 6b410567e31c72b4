import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import type { EventView } from '../../../src/api/contract.ts';
import { followEvents } from '../../../src/api/http/follow-events.ts';
import { httpClient } from '../../../src/api/http/http-client.ts';
import { type HttpServer, type HttpServerParts, startHttpServer } from '../../../src/api/http/start-http-server.ts';
import type { NodeClient } from '../../../src/api/node-client.ts';
import type { FollowRequest } from '../../../src/api/requests.ts';
import { type InProcessNode, inProcessNode } from '../../../src/calls/in-process-node.ts';
import type { ClientFor } from '../../../src/calls/rights.ts';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { ExternalService } from '../../../src/external/external-service.ts';
import { PrintedMessages } from '../../../src/messages/printed-messages.ts';
import { agentViews } from '../../../src/node/agents/list-agents.ts';
import type { FederationOnDemand } from '../../../src/node/federation/federation-on-demand.ts';
import type { FeedbackService } from '../../../src/node/feedback-service.ts';
import type { OrderService } from '../../../src/node/order-service.ts';
import { orderWorldOf } from '../../../src/node/order-world-of.ts';
import { makeRunningParts } from '../../../src/node/running-parts.ts';
import type { ServerOnDemand } from '../../../src/node/server-on-demand.ts';
import { prepareLedger } from '../../../src/operations/ledger-upkeep.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { silentLogger } from '../../../src/platform/logger.ts';
import { openNodeKey } from '../../../src/platform/node-key.ts';
import { Port } from '../../../src/platform/port.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { Workplaces } from '../../../src/work/place/workplaces.ts';
import { openTestLedger, suiteScratch, type TestLedger } from '../test-ledger.ts';
import { TestTree } from '../tree/test-tree.ts';

export const TOKEN = 'test-token-0123456789-0123456789-abcdef';

// Asked for here, so that both belong to the file and not to the first test that opens a server.
const openServers: TestServer[] = [];
after(async () => {
  for (const server of openServers) await server.close();
});
suiteScratch();

/** For a server that gets no call of an external agent. */
export async function noExternal(): Promise<never> {
  throw new Error('no external agent calls this server');
}

type ServerOptions = Partial<HttpServerParts> & { readonly isTreeless?: boolean };

/** A node's server on a free port of loopback, before a real ledger and a real tree. */
export class TestServer {
  readonly tree: TestTree;
  readonly http: HttpServer;
  readonly local: NodeClient;
  readonly clientFor: ClientFor;
  readonly faults: unknown[];

  private constructor(parts: Pick<TestServer, 'tree' | 'http' | 'local' | 'clientFor' | 'faults'>) {
    this.tree = parts.tree;
    this.http = parts.http;
    this.local = parts.local;
    this.clientFor = parts.clientFor;
    this.faults = parts.faults;
  }

  /** Without a tree nothing is written to files: for thousands of tasks. */
  static async open({ isTreeless = false, ...given }: ServerOptions = {}, at = openTestLedger()): Promise<TestServer> {
    const tree = new TestTree(at);
    const { ledger, folder } = at;
    await ledger.submit(prepareLedger, {});
    if (!isTreeless) tree.mirror.start();
    let opened: TestServer | null = null;
    const { client: local, clientFor } = localNode(tree, async () => opened?.http ?? null);
    const faults: unknown[] = [];
    const onFault = (error: unknown) => faults.push(error);
    const own = { ledger, timer: systemTimer(), clock: systemClock(), onFault };
    const service = new ExternalService({ ...own, key: openNodeKey(folder) });
    const parts = { ...own, clientFor, isReady: () => true, external: async () => service };
    const http = await startHttpServer({ ...parts, token: TOKEN, host: '127.0.0.1', port: 0, ...given });
    assert.ok(!isRefusal(http), folder);
    opened = new TestServer({ tree, http, local, clientFor, faults });
    openServers.push(opened);
    return opened;
  }

  get at(): TestLedger {
    return this.tree.life.at;
  }

  get address(): { url: string; token: string } {
    return { url: this.http.url, token: TOKEN };
  }

  get client(): NodeClient {
    return httpClient(this.address);
  }

  follow({ signal, ...request }: FollowRequest & { readonly signal?: AbortSignal }): AsyncGenerator<EventView> {
    return followEvents(this.address, request, signal);
  }

  /** As curl would. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) };
    return await fetch(`${this.http.url}${path}`, { ...init, headers });
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}) {
    const type = { 'content-type': 'application/json', ...headers };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await this.fetch(path, { method: 'POST', body: text, headers: type });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
  }

  async get(path: string, headers: Record<string, string> = {}) {
    const response = await this.fetch(path, { headers });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
  }

  async close(): Promise<void> {
    await this.http.close();
    await this.local.close();
  }
}

export type Json = Readonly<Record<string, unknown>>;

/** The code of an error, in the one form that errors have. */
export function codeOf(body: unknown): unknown {
  return (body as { readonly error?: { readonly code?: unknown } }).error?.code;
}

function localNode(tree: TestTree, dashboard: () => Promise<HttpServer | null>): InProcessNode {
  const side = orderSideOf(tree);
  const { ledger, folder, file } = tree.life.at;
  return inProcessNode({
    ledger,
    clock: systemClock(),
    dataFolder: folder,
    ledgerFile: file ?? join(folder, 'ledger.sqlite'),
    packFiles: () => 0,
    leftOut: () => [],
    treeSettled: (tasks) => tree.mirror.settled(tasks as Parameters<typeof tree.mirror.settled>[0]),
    rebuildTree: () => tree.mirror.rebuild(),
    agents: () => agentViews(folder),
    dashboard,
    inviting: { isOwnAgent: () => false, address: async () => null },
    hasAgent: () => true,
    takeResult: async () => {},
    ...side,
    close: async () => {
      await side.federation.close();
      await tree.mirror.stop();
    },
  });
}

function orderSideOf(
  tree: TestTree,
): OrderService &
  Pick<FeedbackService, 'provider' | 'exchanges' | 'reviews'> & { readonly federation: FederationOnDemand } {
  const { ledger, folder } = tree.life.at;
  const { ids } = tree.life.at;
  const own = { clock: systemClock(), ids, timer: systemTimer(), log: silentLogger, workplaces: new Workplaces() };
  const world = orderWorldOf({ dataFolder: folder, ledger, ...own });
  const taskFolders = { open: async () => null, close: () => {} };
  const ports = { server: new Port<ServerOnDemand>(), printed: new PrintedMessages() };
  const { orderService, feedback, federation } = makeRunningParts({
    ...ports,
    world,
    taskFolders,
    asked: null,
    isBrief: true,
  });
  const { provider, exchanges, reviews } = feedback;
  return { ...orderService, provider, exchanges, reviews, federation };
}
