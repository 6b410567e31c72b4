import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { ClientFor } from '../../calls/rights.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { AgentEndpoint } from '../../domain/task/channel.ts';
import type { ExternalService } from '../../external/external-service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Timer } from '../../platform/timer.ts';
import type { EventSource } from '../events/follow-ledger.ts';
import { Callers, RunTokens } from './admit-request.ts';
import { DashboardParts } from './dashboard/dashboard-routes.ts';
import { bindAddress, hostHeadersOf, type ListenRequest, refuseAddress, urlHost } from './listen-address.ts';
import type { App } from './make-app.ts';
import { closeServer, makeServer, type ServerWaits, UnauthenticatedConnections } from './make-server.ts';
import type { RouteParts } from './routes/add-routes.ts';
import { EventFeed } from './sse/event-feed.ts';

export interface HttpServerParts extends ListenRequest {
  readonly clientFor: ClientFor;
  /** Signals commits and reads new events, once for all streams. */
  readonly ledger: EventSource;
  readonly timer: Timer;
  readonly clock: Clock;
  /** External agents; loaded with their first request. */
  external(): Promise<ExternalService>;
  /** For /readyz. */
  isReady(): boolean;
  /** Reports a fault that no caller caused. */
  onFault(error: unknown): void;
  readonly waits?: Partial<ServerWaits>;
  /** Makes the routes with the first request: most nodes of one command get none. */
  readonly areRoutesLate?: boolean;
}

export interface HttpServer {
  /** As in node.json. */
  readonly url: string;
  readonly port: number;
  /** For the agents that this node starts. */
  readonly agents: AgentEndpoint;
  /** Makes a link that logs a browser in, once. */
  link: DashboardParts['link'];
  isLinkUsed(id: string): boolean;
  /** Accepts no new requests, ends the streams, and gives running requests 3 s to finish. */
  close(): Promise<void>;
}

/** Starts the HTTP server, or refuses an address that it must not bind. */
export async function startHttpServer(parts: HttpServerParts): Promise<HttpServer | Refusal> {
  const refusal = refuseAddress(parts);
  if (refusal) return refusal;
  const { ledger, timer, clock, isReady, onFault, tls, waits } = parts;
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const unauthenticated = new UnauthenticatedConnections();
  const runTokens = new RunTokens();
  const callers = new Callers(parts.clientFor);
  const feed = new EventFeed({ ledger, timer, onFault });
  const dashboard = new DashboardParts(clock);
  let isStopping = false;
  const { external } = parts;
  const routes = new Routes({ callers, feed, timer, isReady, onFault, dashboard, external });
  const serverParts = {
    admission: { hosts, origins, token: Buffer.from(parts.token, 'latin1'), runTokens, dashboard: dashboard.access },
    unauthenticated,
    callers,
    isStopping: () => isStopping,
    ...(tls && { tls }),
    ...(waits && { waits }),
  };
  const server = makeServer(serverParts, (request, response) => routes.answer(server, request, response));
  try {
    await listen(server, { host: bindAddress(parts.host), port: parts.port });
    if (!parts.areRoutesLate) await routes.make(server);
  } catch (error) {
    feed.close();
    server.close();
    throw error;
  }
  const { port } = server.address() as { readonly port: number };
  const scheme = tls ? 'https' : 'http';
  for (const host of hostHeadersOf(parts, port)) {
    hosts.add(host);
    origins.add(`${scheme}://${host}`);
  }
  const close = async () => {
    isStopping = true;
    feed.close();
    await routes.close();
    await closeServer(server, unauthenticated);
  };
  const url = `${scheme}://${urlHost(parts.host)}:${port}`;
  dashboard.url = url;
  const links = { link: () => dashboard.link(), isLinkUsed: (id: string) => dashboard.access.isUsed(id) };
  return { url, port, agents: runTokens.agentEndpoint({ url, port }), ...links, close };
}

/** The routes, made once. */
class Routes {
  readonly #parts: RouteParts;
  #making: Promise<App> | null = null;
  #listener: RequestListener | null = null;

  constructor(parts: RouteParts) {
    this.#parts = parts;
  }

  make(server: Server): Promise<App> {
    this.#making ??= this.#makeOnce(server);
    return this.#making;
  }

  async #makeOnce(server: Server): Promise<App> {
    const { makeApp } = await import('./make-app.ts');
    const app = await makeApp(this.#parts, server);
    this.#listener = app.listener;
    return app;
  }

  answer(server: Server, request: IncomingMessage, response: ServerResponse): void {
    if (this.#listener !== null) return void this.#listener(request, response);
    this.make(server).then(
      ({ listener }) => listener(request, response),
      (error: unknown) => {
        this.#parts.onFault(error);
        response.destroy();
      },
    );
  }

  async close(): Promise<void> {
    // Routes that could not be made need no closing; `answer` has told of it.
    const app = await this.#making?.catch(() => null);
    await app?.close();
  }
}

function listen(server: Server, place: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
