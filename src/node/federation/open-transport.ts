import type { Transport } from '../../federation/transport.ts';
import type { Clock } from '../../platform/clock.ts';
import { systemFolderWatch } from '../../platform/files/folder-watch.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Timer } from '../../platform/timer.ts';
import type { FederationSettings } from './federation-settings.ts';

interface TransportParts {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly log: Logger;
}

/** Opens the store that the settings name. Each is behind an import of its own: a node in no federation loads neither. */
export async function openTransport(settings: FederationSettings, parts: TransportParts): Promise<Transport> {
  const { node, name } = settings;
  if (settings.transport === 'local') {
    const { LocalTransport } = await import('../../federation/local/local-transport.ts');
    return new LocalTransport({ ...parts, folder: settings.folder, node, watch: systemFolderWatch });
  }
  const [{ NatsTransport }, { natsNames }] = await Promise.all([
    import('../../federation/nats/nats-transport.ts'),
    import('../../federation/nats/frame-message.ts'),
  ]);
  const { url, creds, tls, replicas } = settings;
  return new NatsTransport({ ...parts, url, creds, tls, node, names: natsNames(name), replicas });
}
