import type { DashboardServer } from '../calls/upkeep-calls.ts';
import type { AgentEndpoint } from '../domain/task/channel.ts';
import type { NodeFile } from '../platform/files/node-file.ts';

/** The types of this file are part of the library's: none of a package that is not installed with it. */
export interface OpenServer extends DashboardServer {
  readonly file: NodeFile;
  readonly agents: AgentEndpoint;
  close(): Promise<void>;
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
