import { X509Certificate } from 'node:crypto';
import type { DashboardLink } from '../api/http/dashboard/dashboard-access.ts';
import type { HttpDoor, HttpDoorParts } from '../api/http/start-http-door.ts';
import type { AgentDoor } from '../domain/channel.ts';
import { isRefusal } from '../domain/refusal.ts';
import { FolderFault } from '../platform/data-folder.ts';
import { type NodeFile, removeNodeFile, writeNodeFile } from '../platform/node-file.ts';
import { randomSecret } from '../platform/secret.ts';

export interface DoorOptions extends Omit<HttpDoorParts, 'token' | 'isReady'> {
  readonly dataFolder: string;
  /** Whether the node can serve requests. */
  isSound(): boolean;
}

export interface OpenDoor {
  readonly file: NodeFile;
  readonly agents: HttpDoor['agents'];
  link(): DashboardLink;
  close(): Promise<void>;
}

/** Starts the HTTP server with a new token, and writes node.json when it listens. */
export async function openDoor({ dataFolder, isSound, ...parts }: DoorOptions): Promise<OpenDoor> {
  const token = randomSecret();
  let isReady = false;
  const door = await listen({ ...parts, token, isReady: () => isReady && isSound() });
  const certSha256 = parts.tls && new X509Certificate(parts.tls.cert).fingerprint256;
  const file = writeNodeFile(dataFolder, { url: door.url, token, ...(certSha256 && { certSha256 }) });
  isReady = true;
  return {
    file,
    agents: door.agents,
    link: () => door.link(),
    close: async () => {
      isReady = false;
      // First, so that new commands wait for the lock instead of connecting.
      removeNodeFile(dataFolder);
      await door.close();
    },
  };
}

/** A door that opens once, for whoever needs it first. */
export class DoorOnDemand {
  readonly #openIt: () => Promise<OpenDoor>;
  #opening: Promise<OpenDoor> | null = null;
  #agents: AgentDoor | null = null;
  #isClosed = false;

  constructor(openIt: () => Promise<OpenDoor>) {
    this.#openIt = openIt;
  }

  /** Null until it is open. */
  get agents(): AgentDoor | null {
    return this.#agents;
  }

  open(): Promise<OpenDoor> {
    this.#opening ??= this.#openOnce();
    return this.#opening;
  }

  async #openOnce(): Promise<OpenDoor> {
    if (this.#isClosed) throw new Error('the node is shutting down');
    const door = await this.#openIt();
    this.#agents = door.agents;
    return door;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // A door that could not be opened needs no closing; whoever asked for it was told.
    const door = await this.#opening?.catch(() => null);
    await door?.close();
  }
}

async function listen(parts: HttpDoorParts) {
  const { startHttpDoor } = await import('../api/http/start-http-door.ts');
  const door = await startHttpDoor(parts).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRNOTAVAIL')
      throw new FolderFault('address_unusable', `${parts.host} is not an address of this machine`, 'correct http.host');
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
    const message = `cannot bind port ${parts.port} of ${parts.host} (${error.code})`;
    throw new FolderFault('port_in_use', message, 'baton up --port 0 picks a free port');
  });
  if (isRefusal(door)) throw new Error(door.message);
  return door;
}
