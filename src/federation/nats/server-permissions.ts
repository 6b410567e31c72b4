import { KEYS } from '../records.ts';
import type { NatsNames } from './frame-message.ts';

/** A user of a NATS server, in the words of its configuration. */
export interface ServerUser {
  readonly node: string;
  /** The public key of the user (nkey). */
  readonly nkey: string;
}

interface ServerPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Answers come to this subject: no node may listen to those of another. */
export function inboxOf(node: string): string {
  return `_INBOX_${node}`;
}

/**
 * The subjects that a node needs, and nothing beside: it writes its own outbox, reads frames that are for it, and takes part in
 * the control plane and the store of blobs. It deletes no stream, and reads no mail of others.
 */
function permissionsOf(names: NatsNames, node: string): ServerPermissions {
  const own = names.stream(node);
  const [control, blobs] = [`KV_${names.control}`, `OBJ_${names.blobs}`];
  const shared = [control, blobs];
  return {
    publish: [
      names.outbox(node),
      ...recordsOf(node).map((key) => `$KV.${names.control}.${key}`),
      `$O.${names.blobs}.>`,
      '$JS.API.INFO',
      ...[own, ...shared].map((stream) => `$JS.API.STREAM.CREATE.${stream}`),
      `$JS.API.STREAM.INFO.*`,
      ...[own, ...shared].flatMap((stream) => [`$JS.API.STREAM.MSG.GET.${stream}`, `$JS.API.DIRECT.GET.${stream}.>`]),
      `$JS.API.DIRECT.GET.${own}`,
      `$JS.API.DIRECT.GET.*.${names.frame('*', node)}`,
      `$JS.API.STREAM.PURGE.${own}`,
      `$JS.API.STREAM.PURGE.${blobs}`,
      // The last part is the filter of the consumer: frames for this node only.
      `$JS.API.CONSUMER.CREATE.*.*.${names.frame('*', node)}`,
      ...shared.flatMap((stream) => [`$JS.API.CONSUMER.CREATE.${stream}`, `$JS.API.CONSUMER.CREATE.${stream}.>`]),
      '$JS.API.CONSUMER.INFO.*.*',
      '$JS.API.CONSUMER.MSG.NEXT.*.*',
      '$JS.API.CONSUMER.DELETE.*.*',
      '$JS.ACK.>',
      '$JS.FC.>',
    ],
    subscribe: [`${inboxOf(node)}.>`],
  };
}

/**
 * The records of the control plane that a node writes. Its place in the outbox of another is written by the two of them. Those of nodes,
 * agents and capabilities every node may write: another one takes them over, by compare-and-set, when their node is dead.
 */
function recordsOf(node: string): readonly string[] {
  return [
    `${KEYS.nodes}*`,
    `${KEYS.agents}>`,
    'capabilities.>',
    'policies.*',
    `${KEYS.reviews}>`,
    KEYS.cursor(node, '*'),
    // Expired places in its own outbox, which it marks as stale.
    KEYS.cursor('*', node),
    KEYS.route('*', node),
    KEYS.wanted('*', node),
    // Whoever has answered takes the request away.
    KEYS.wanted(node, '*'),
  ];
}

/** A configuration of nats-server in which each node has a user of its own. */
export function serverConfig(names: NatsNames, users: readonly ServerUser[]): string {
  const list = (subjects: readonly string[]) => subjects.map((subject) => JSON.stringify(subject)).join(', ');
  const lines = users.map(({ node, nkey }) => {
    const { publish, subscribe } = permissionsOf(names, node);
    return [
      `    # ${node}`,
      `    { nkey: ${nkey}, permissions: {`,
      `      publish: { allow: [${list(publish)}] },`,
      `      subscribe: { allow: [${list(subscribe)}] } } }`,
    ].join('\n');
  });
  return `authorization {\n  users: [\n${lines.join('\n')}\n  ]\n}\n`;
}
