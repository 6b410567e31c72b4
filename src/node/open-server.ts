import { X509Certificate } from 'node:crypto';
import type { HttpServer, HttpServerParts } from '../api/http/start-http-server.ts';
import type { DashboardServer } from '../api/in-process/upkeep-calls.ts';
import type { AgentEndpoint } from '../domain/channel.ts';
import { isRefusal } from '../domain/refusal.ts';
import { FolderFault } from '../platform/data-folder.ts';
import { type NodeFile, removeNodeFile, writeNodeFile } from '../platform/node-file.ts';
import { randomSecret } from '../platform/secret.ts';

export interface ServerOptions extends Omit<HttpServerParts, 'token' | 'isReady'> {
  readonly dataFolder: string;
  /** Whether the node can serve requests. */
  isSound(): boolean;
}

export interface OpenServer extends DashboardServer {
  readonly file: NodeFile;
  readonly agents: HttpServer['agents'];
  close(): Promise<void>;
}

/** Starts the HTTP server with a new token, and writes node.json when it listens. */
export async function openServer({ dataFolder, isSound, ...parts }: ServerOptions): Promise<OpenServer> {
  const token = randomSecret();
  let isReady = false;
  const server = await listen({ ...parts, token, isReady: () => isReady && isSound() });
  const certSha256 = parts.tls && new X509Certificate(parts.tls.cert).fingerprint256;
  const file = writeNodeFile(dataFolder, { url: server.url, token, ...(certSha256 && { certSha256 }) });
  isReady = true;
  return {
    file,
    agents: server.agents,
    link: () => server.link(),
    isLinkUsed: (id) => server.isLinkUsed(id),
    close: async () => {
      isReady = false;
      // First, so that new commands wait for the lock instead of connecting.
      removeNodeFile(dataFolder);
      await server.close();
    },
  };
}

/** A server that opens once, for whoever needs it first. */
export class ServerOnDemand {
  readonly #openIt: () => Promise<OpenServer>;
  #opening: Promise<OpenServer> | null = null;
  #agents: AgentEndpoint | null = null;
  #isClosed = false;

  constructor(openIt: () => Promise<OpenServer>) {
    this.#openIt = openIt;
  }

  /** Null until it is open. */
  get agents(): AgentEndpoint | null {
    return this.#agents;
  }

  open(): Promise<OpenServer> {
    this.#opening ??= this.#openOnce();
    return this.#opening;
  }

  async #openOnce(): Promise<OpenServer> {
    if (this.#isClosed) throw new Error('the node is shutting down');
    const server = await this.#openIt();
    this.#agents = server.agents;
    return server;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // A server that could not be opened needs no closing; whoever asked for it was told.
    const server = await this.#opening?.catch(() => null);
    await server?.close();
  }
}

async function listen(parts: HttpServerParts) {
  const { startHttpServer } = await import('../api/http/start-http-server.ts');
  const server = await startHttpServer(parts).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRNOTAVAIL')
      throw new FolderFault('address_unusable', `${parts.host} is not an address of this machine`, 'correct http.host');
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
    const message = `cannot bind port ${parts.port} of ${parts.host} (${error.code})`;
    throw new FolderFault('port_in_use', message, 'baton up --port 0 picks a free port');
  });
  if (isRefusal(server)) throw new Error(server.message);
  return server;
}
