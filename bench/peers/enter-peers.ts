import { join } from 'node:path';
import type { Entrant } from '../contest/contest.ts';
import type { Round } from '../contest/contestant.ts';
import { type Installing, installPeer } from './install-peer.ts';
import { PEERS, type ServerKind } from './peer.ts';
import { startPostgresql } from './postgresql-server.ts';
import { startRedis } from './redis-server.ts';
import type { Server } from './server.ts';

export interface EnteredPeers {
  readonly entrants: readonly Entrant[];
  /** A sentence for each peer that is not here. */
  readonly missing: readonly string[];
  stop(): Promise<void>;
}

/** Installs what may be installed and starts each server once; the caller stops them. */
export async function enterPeers(
  installing: Installing,
  folder: string,
  lives: Pick<Round, 'lives' | 'warmUpLives'>,
): Promise<EnteredPeers> {
  const servers = new Map<ServerKind, Server>();
  const entrants: Entrant[] = [];
  const missing: string[] = [];
  for (const peer of PEERS) {
    const installed = installPeer(peer, installing);
    if ('missing' in installed) {
      missing.push(`${peer.name} is not here: ${installed.missing}`);
      continue;
    }
    const server = servers.get(peer.server) ?? (await startServerOf(peer.server, folder));
    servers.set(peer.server, server);
    const round = { ...lives, port: server.port, packages: installed.folder };
    entrants.push({ name: peer.name, file: peer.file, settings: peer.settings, round });
  }
  return {
    entrants,
    missing,
    stop: async () => void (await Promise.all([...servers.values()].map((each) => each.stop()))),
  };
}

function startServerOf(kind: ServerKind, folder: string): Promise<Server> {
  return kind === 'redis' ? startRedis(join(folder, 'redis')) : startPostgresql(join(folder, 'postgresql'));
}
