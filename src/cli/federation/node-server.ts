import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isNodeName } from '../../federation/records.ts';
import { writeNatsServerConfig } from '../../node/federation/nats-server-config.ts';
import { type Answer, type Call, type CliCommand, flagText, UsageError } from '../command.ts';
import { serverConfigText } from './federation-text.ts';

const EXAMPLE = 'baton node server laptop tower --out /srv/baton-nats';

/** Needs no data folder: it is for whoever runs the server. */
export const nodeServerCommand: CliCommand = {
  usage: 'baton node server NODE… --out DIR [--name FEDERATION] [--json]',
  about: [
    'Writes a configuration for nats-server in which each node has a user of its own, and a file with the credentials of each. A user may',
    'write the outbox of its node, read what is for its node, and take part in the control plane: it deletes no stream and reads nothing that',
    'is for others. Replaces no file.',
  ].join(' '),
  examples: [EXAMPLE, 'nats-server -c /srv/baton-nats/nats.conf'],
  ignores: ['key', 'data'],
  flags: {
    out: { takes: 'value', shows: 'DIR', help: 'the folder for nats.conf and the credentials' },
    name: { takes: 'value', shows: 'FEDERATION', help: 'where several federations use one server; by default baton' },
  },
  async run(call): Promise<Answer<unknown>> {
    const made = writeNatsServerConfig(requestOf(call));
    return { values: [made], human: () => serverConfigText(made), exitCode: () => 0 };
  },
};

function requestOf(call: Call) {
  const nodes = [...new Set(call.words)];
  const out = flagText(call, 'out');
  if (nodes.length === 0 || out === undefined) throw new UsageError('node server: which nodes, and where?', EXAMPLE);
  const wrong = nodes.find((node) => !isNodeName(node));
  if (wrong !== undefined) {
    const why = `node server: ${JSON.stringify(wrong)} is no name of a node`;
    throw new UsageError(why, 'a name has letters, digits, - and _');
  }
  const folder = resolve(out);
  const taken = ['nats.conf', ...nodes.map((node) => `${node}.nkey`)].find((name) => existsSync(join(folder, name)));
  if (taken !== undefined) {
    throw new UsageError(`node server: ${join(folder, taken)} exists, and stays`, 'name another folder with --out');
  }
  return { federation: flagText(call, 'name') ?? 'baton', nodes, folder };
}
