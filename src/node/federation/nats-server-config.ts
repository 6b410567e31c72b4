import { makeServerConfig } from '../../federation/nats/make-server-config.ts';

type ServerRequest = Parameters<typeof makeServerConfig>[0];

/** The files of a server: its configuration, and the credentials of each node. */
export type NatsServerConfig = ReturnType<typeof makeServerConfig>;

/** Writes them; replaces no file. */
export function writeNatsServerConfig(request: ServerRequest): NatsServerConfig {
  return makeServerConfig(request);
}
