import { type KvEntry, KvWatchInclude } from '@nats-io/kv';
import type { NatsLink } from './nats-link.ts';

/** One watch of the control plane; it begins anew with every connection. */
export class ControlWatch {
  readonly #prefix: string;
  readonly #changed: (key: string) => void;
  #end: () => void = () => {};

  constructor(prefix: string, changed: (key: string) => void) {
    this.#prefix = prefix;
    this.#changed = changed;
  }

  async begin({ control }: NatsLink): Promise<void> {
    this.#end();
    const entries = await control.watch({ key: `${this.#prefix}>`, include: KvWatchInclude.UpdatesOnly });
    this.#end = () => entries.stop();
    void this.#follow(entries).catch(() => null);
  }

  end(): void {
    this.#end();
  }

  async #follow(entries: AsyncIterable<KvEntry>): Promise<void> {
    for await (const { key } of entries) this.#changed(key);
  }
}
