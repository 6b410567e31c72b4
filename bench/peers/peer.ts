/** The server a peer keeps its jobs in; the bench starts it with the safest settings it has. */
export type ServerKind = 'redis' | 'postgresql';

/** Another queue, as its own documents say it is fastest, with every answer on disk. */
export interface Peer {
  readonly name: string;
  readonly packages: readonly string[];
  readonly server: ServerKind;
  /** The settings in one line, printed with the figure. */
  readonly settings: string;
  /** The file with its contestant, exported as `measure`. */
  readonly file: URL;
}

export const PEERS: readonly Peer[] = [
  {
    name: 'BullMQ',
    packages: ['bullmq@6.7.0', 'ioredis@6.0.0'],
    server: 'redis',
    settings: 'Redis appendonly yes, appendfsync always; autopipelining; worker concurrency 64; jobs removed when done',
    file: new URL('./bullmq.ts', import.meta.url),
  },
  {
    name: 'pg-boss',
    packages: ['pg-boss@12.30.0'],
    server: 'postgresql',
    settings: 'PostgreSQL fsync on, synchronous_commit on; 64 send, fetch and complete in batches of 64',
    file: new URL('./pg-boss.ts', import.meta.url),
  },
  {
    name: 'graphile-worker',
    packages: ['graphile-worker@0.18.0'],
    server: 'postgresql',
    settings: 'PostgreSQL fsync on, synchronous_commit on; concurrency 64, local queue, completions in batches',
    file: new URL('./graphile-worker.ts', import.meta.url),
  },
];
