import { Pump } from '../../federation/pump.ts';
import type { ServedTasks } from '../../federation/served-tasks.ts';
import { faultFacts } from '../../platform/logger.ts';
import { type ContentKeeper, ContentRequests, restoreContent } from '../content.ts';
import { tellSilence } from '../tell-silence.ts';
import type { ReceivedWork } from './received-work.ts';
import { serveTasks } from './serve-tasks.ts';
import type { ServingNode } from './serving-node.ts';

interface ServerParts {
  /** Runs them; null on a node that does not stay on: they wait. */
  readonly work: ReceivedWork | null;
  /** Has the files of tasks; null on a node that lives for one command. */
  readonly content: ContentKeeper | null;
}

/** Looks after the tasks of other nodes: when something comes, when something happens to one of them, and with every tick. */
export class TaskServer implements ServedTasks {
  readonly #node: ServingNode;
  readonly #parts: ServerParts;
  readonly #asks = new ContentRequests();
  readonly #pump: Pump;
  /** Tasks that are not answered, as of the last turn. */
  #open = 0;
  #forgetCommits: () => void = () => {};

  constructor(node: ServingNode, parts: ServerParts) {
    this.#node = node;
    this.#parts = parts;
    this.#pump = new Pump('tasks', () => this.#turn());
  }

  start(): void {
    this.#forgetCommits = this.#node.parts.ledger.onCommitted(() => {
      if (this.#open > 0) this.#pump.run();
    });
  }

  wake(): void {
    this.#pump.run();
  }

  async restore(): Promise<void> {
    await restoreContent({ ledger: this.#node.parts.ledger, content: this.#parts.content });
  }

  async lookAfter(): Promise<void> {
    const { known, parts } = this.#node;
    await tellSilence({ ledger: parts.ledger, known });
  }

  async stop(): Promise<void> {
    this.#forgetCommits();
    await this.#pump.close();
  }

  async #turn(): Promise<boolean> {
    const { transport, log } = this.#node.parts;
    const { work } = this.#parts;
    if (work === null || !transport.isConnected) return false;
    try {
      await this.#node.joined();
      this.#open = await serveTasks(this.#node, { work, asks: this.#asks });
    } catch (error) {
      log.log('federation.failed', faultFacts(error));
    }
    return false;
  }
}
