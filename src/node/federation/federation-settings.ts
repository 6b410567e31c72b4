import { hostname } from 'node:os';
import { loadConfigSources } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { configOf } from '../../config/settings.ts';
import type { GapPolicy } from '../../domain/federation/advance-cursor.ts';
import { FEDERATION_ROOM_DEFAULT, WORK_MIB_DEFAULT } from '../../domain/federation/federation-limits.ts';
import { MIB } from '../../domain/limits.ts';
import { withoutEdges } from '../../domain/words/without-end.ts';

interface SharedSettings {
  readonly node: string;
  /** The name of the federation in its store. */
  readonly name: string;
  readonly gapPolicy: GapPolicy;
  readonly isTrustNeeded: boolean;
  /** The agents that others may use; null for all but demo. */
  readonly agents: readonly string[] | null;
  readonly room: number;
  /** The size of the files of a task that travels. */
  readonly workBytesMax: number;
}

export type FederationSettings = SharedSettings &
  (
    | { readonly transport: 'local'; readonly folder: string }
    | {
        readonly transport: 'nats';
        readonly url: string;
        readonly creds: string | null;
        readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | null;
        readonly replicas: number;
      }
  );

const FEDERATION_DEFAULT = 'baton';

/** `federation:` of the configuration; null for a node that is in none. */
export function loadFederation(dataFolder: string): FederationSettings | null {
  const { federation } = configOf(loadConfig(loadConfigSources(dataFolder)).settings);
  return federation ? federationSettings(federation) : null;
}

export function federationSettings(given: NonNullable<Config['federation']>): FederationSettings {
  const { node = machineName(), name = FEDERATION_DEFAULT, gap_policy: gapPolicy = 'tombstone', agents = null } = given;
  const { trust = 'first', room = FEDERATION_ROOM_DEFAULT, work_mib: workMib = WORK_MIB_DEFAULT } = given;
  const workBytesMax = workMib * MIB;
  const shared = { node, name, gapPolicy, isTrustNeeded: trust === 'listed', agents, room, workBytesMax };
  if (given.transport === 'local') return { ...shared, transport: 'local', folder: given.folder ?? '' };
  const { url = '', creds = null, tls_ca: ca, tls_cert: cert, tls_key: key, replicas = 1 } = given;
  const tls = {
    ...(ca !== undefined && { caFile: ca }),
    ...(cert !== undefined && { certFile: cert }),
    ...(key !== undefined && { keyFile: key }),
  };
  return { ...shared, transport: 'nats', url, creds, tls: Object.keys(tls).length === 0 ? null : tls, replicas };
}

/** The name of the machine, as far as it can be the name of a node. */
function machineName(): string {
  const name = withoutEdges(hostname().replaceAll(/[^A-Za-z0-9_-]+/g, '-'), '-').slice(0, 64);
  return name === '' ? 'node' : name;
}
