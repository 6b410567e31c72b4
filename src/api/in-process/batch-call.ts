import type { Calls, NodeClient } from '../node-client.ts';

/** The batch call of a client in this process. */
export function batchOf(client: () => Calls): NodeClient['batch'] {
  return async function* batch(lines) {
    // Behind an import of its own: a command that makes one call needs no schemas.
    const { runBatch } = await import('../run-batch.ts');
    yield* runBatch(client(), lines);
  };
}
