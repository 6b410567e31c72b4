import type { AgentDoor } from '../../domain/channel.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Timer } from '../../platform/timer.ts';
import type { EventSource } from '../events/follow-ledger.ts';
import type { ClientFor } from '../in-process/rights.ts';
import { Callers, RunTokens } from './admit-request.ts';
import { DashboardParts } from './dashboard/dashboard-routes.ts';
import { bindAddress, hostsOf, type ListenRequest, refuseAddress, urlHost } from './listen-address.ts';
import { closeApp, makeApp } from './make-app.ts';
import { makeServer, type ServerWaits, UnauthenticatedConnections } from './make-server.ts';
import { EventFeed } from './sse/event-feed.ts';

export interface HttpDoorParts extends ListenRequest {
  readonly clientFor: ClientFor;
  /** Signals commits and reads new events, once for all streams. */
  readonly ledger: EventSource;
  readonly timer: Timer;
  readonly clock: Clock;
  /** For /readyz. */
  isReady(): boolean;
  /** Reports a fault that no caller caused. */
  onFault(error: unknown): void;
  readonly waits?: Partial<ServerWaits>;
}

export interface HttpDoor {
  /** As in node.json. */
  readonly url: string;
  readonly port: number;
  /** For the agents that this node starts. */
  readonly agents: AgentDoor;
  /** Makes a link that logs a browser in, once. */
  link: DashboardParts['link'];
  /** Accepts no new requests, ends the streams, and gives running requests 3 s to finish. */
  close(): Promise<void>;
}

/** Starts the HTTP server, or refuses an address that it must not bind. */
export async function startHttpDoor(parts: HttpDoorParts): Promise<HttpDoor | Refusal> {
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
  const server = {
    admission: { hosts, origins, token: Buffer.from(parts.token, 'latin1'), runTokens, dashboard: dashboard.access },
    unauthenticated,
    callers,
    isStopping: () => isStopping,
    ...(tls && { tls }),
    ...(waits && { waits }),
  };
  const app = makeApp({ callers, feed, timer, isReady, onFault, dashboard }, (listener) =>
    makeServer(server, listener),
  );
  try {
    await app.listen({ host: bindAddress(parts.host), port: parts.port });
  } catch (error) {
    feed.close();
    throw error;
  }
  const { port } = app.server.address() as { readonly port: number };
  const scheme = tls ? 'https' : 'http';
  for (const host of hostsOf(parts, port)) {
    hosts.add(host);
    origins.add(`${scheme}://${host}`);
  }
  const close = async () => {
    isStopping = true;
    feed.close();
    await closeApp(app, unauthenticated);
  };
  const url = `${scheme}://${urlHost(parts.host)}:${port}`;
  dashboard.url = url;
  return { url, port, agents: runTokens.agentDoor({ url, port }), link: () => dashboard.link(), close };
}
