import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import type { NatsNames } from '../../../src/federation/nats/frame-message.ts';
import { serverConfig } from '../../../src/federation/nats/server-permissions.ts';

/** A user of a nats-server for each node, each with a file of its credentials. */
export class NatsUsers {
  /** For the configuration of the server. */
  readonly config: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'baton-nats-users-'));

  constructor(names: NatsNames, nodes: readonly string[]) {
    process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
    const users = nodes.map((node) => {
      const user = nkeys.createUser();
      writeFileSync(this.credsOf(node), user.getSeed(), { mode: 0o600 });
      return { node, nkey: user.getPublicKey() };
    });
    this.config = serverConfig(names, users);
  }

  credsOf(node: string): string {
    return join(this.#folder, `${node}.seed`);
  }
}
