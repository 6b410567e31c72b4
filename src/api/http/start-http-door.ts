import type { AddressInfo } from 'node:net';
import type { AgentDoor } from '../../dispatch/attempt/agent-door.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { Timer } from '../../platform/timer.ts';
import type { NodeClient } from '../contract.ts';
import { closeApp } from './close-app.ts';
import { bindAddress, hostsOf, type ListenRequest, refuseAddress, urlHost } from './listen-address.ts';
import { makeApp } from './make-app.ts';
import { makeServer, type ServerWaits } from './make-server.ts';
import { EventFeed } from './sse/event-feed.ts';
import type { EventSource } from './sse/event-source.ts';
import { Visitors } from './visitors.ts';

export interface HttpDoorParts extends ListenRequest {
  /** Does what is asked for. */
  readonly client: NodeClient;
  /** The ledger itself: what the door only looks at, and the events it streams. */
  readonly ledger: EventSource;
  readonly timer: Timer;
  /** For /readyz. */
  isReady(): boolean;
  /** Something failed that no caller is to blame for. */
  onFault(error: unknown): void;
  readonly waits?: Partial<ServerWaits>;
}

export interface HttpDoor {
  /** As node.json tells it. */
  readonly url: string;
  readonly port: number;
  /** For the agents that this node starts. */
  readonly agents: AgentDoor;
  /** Ends the streams, lets what is under way finish for 3 s, and takes nothing new. */
  close(): Promise<void>;
}

/** Opens the door, or says why it must not be opened at this address. */
export async function startHttpDoor(parts: HttpDoorParts): Promise<HttpDoor | Refusal> {
  const refusal = refuseAddress(parts);
  if (refusal) return refusal;
  const { client, ledger, timer, isReady, onFault, tls, waits } = parts;
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const visitors = new Visitors();
  const admission = { hosts, origins, token: Buffer.from(parts.token, 'latin1'), passes: visitors.passes };
  const feed = new EventFeed({ ledger, timer, onFault });
  let isStopping = false;
  const server = { admission, visitors, isStopping: () => isStopping, ...(tls && { tls }), ...(waits && { waits }) };
  const app = makeApp({ client, ledger, feed, timer, visitors, isReady, onFault }, (listener) =>
    makeServer(server, listener),
  );
  try {
    await app.listen({ host: bindAddress(parts.host), port: parts.port });
  } catch (error) {
    feed.close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  const scheme = tls ? 'https' : 'http';
  for (const host of hostsOf(parts, port)) {
    hosts.add(host);
    origins.add(`${scheme}://${host}`);
  }
  const close = async () => {
    isStopping = true;
    feed.close();
    await closeApp(app, visitors.strangers);
  };
  const url = `${scheme}://${urlHost(parts.host)}:${port}`;
  return { url, port, agents: visitors.agentDoor({ url, port }), close };
}
