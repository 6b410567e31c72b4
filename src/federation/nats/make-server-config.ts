import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { natsNames } from './frame-message.ts';
import { serverConfig } from './server-permissions.ts';

interface ServerRequest {
  readonly federation: string;
  readonly nodes: readonly string[];
  /** Created if it is missing. */
  readonly folder: string;
}

interface MadeServerConfig {
  readonly config: string;
  readonly credentials: readonly { readonly node: string; readonly file: string }[];
}

/** Writes a configuration for nats-server with a user for each node, and the credentials of each; replaces no file. */
export function makeServerConfig({ federation, nodes, folder }: ServerRequest): MadeServerConfig {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made = nodes.map((node) => {
    const user = nkeys.createUser();
    const file = join(folder, `${node}.nkey`);
    writeFileSync(file, `${Buffer.from(user.getSeed()).toString('utf8')}\n`, { mode: 0o600, flag: 'wx' });
    return { node, file, nkey: user.getPublicKey() };
  });
  const head = `listen: 0.0.0.0:4222\njetstream { store_dir: ${JSON.stringify(join(folder, 'store'))} }\n`;
  const config = join(folder, 'nats.conf');
  writeFileSync(config, head + serverConfig(natsNames(federation), made), { mode: 0o600, flag: 'wx' });
  return { config, credentials: made.map(({ node, file }) => ({ node, file })) };
}
