import type { DatabaseSync } from 'node:sqlite';
import { CommitQueue } from '../../../src/ledger/commit-queue.ts';
import { openEmptyConnection } from '../../../src/ledger/connection.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { Reader } from '../../../src/ledger/tx.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Ids } from '../../../src/platform/ids.ts';
import { encodeMadeTrace } from '../../../src/protocols/saop/trace-message.ts';

export type MemoryLedger = Pick<Ledger, 'read' | 'submit' | 'onCommitted'> & { readonly db: DatabaseSync };

/** The ledger of a simulated node: the same SQLite and the same commits, without a file. `from` is a copy of another. */
export function openMemoryLedger(clock: Clock, ids: Ids, from?: Uint8Array): MemoryLedger {
  const db = openEmptyConnection();
  if (from) (db as unknown as { deserialize(bytes: Uint8Array): void }).deserialize(from);
  const listeners = new Set<() => void>();
  const queue = new CommitQueue({
    db,
    clock,
    ids,
    encodeTrace: encodeMadeTrace,
    onFatal: (fault) => {
      throw fault;
    },
    onCommitted: () => {
      for (const listener of listeners) listener();
    },
  });
  return {
    db,
    read: new Reader(db),
    submit: (command, facts) => queue.submit(command, facts),
    onCommitted: (listener) => {
      const call = () => listener(new Set());
      listeners.add(call);
      return () => listeners.delete(call);
    },
  };
}

export function copyLedger({ db }: MemoryLedger): Uint8Array {
  return (db as unknown as { serialize(): Uint8Array }).serialize();
}
