import { Pump } from '../../federation/pump.ts';
import { faultFacts } from '../../platform/logger.ts';
import { serveTasks } from './serve-tasks.ts';
import type { ServingNode } from './serving-node.ts';

/** Looks after the tasks of other nodes: when something comes, when something happens to one of them, and with every tick. */
export class TaskServer {
  readonly #node: ServingNode;
  readonly #pump: Pump;
  /** Tasks that are not answered, as of the last turn. */
  #open = 0;
  #forgetCommits: () => void = () => {};

  constructor(node: ServingNode) {
    this.#node = node;
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

  async stop(): Promise<void> {
    this.#forgetCommits();
    await this.#pump.close();
  }

  async #turn(): Promise<boolean> {
    const { work, transport, log } = this.#node.parts;
    if (work === null || !transport.isConnected) return false;
    try {
      await this.#node.joined();
      this.#open = await serveTasks(this.#node, work);
    } catch (error) {
      log.log('federation.failed', faultFacts(error));
    }
    return false;
  }
}
