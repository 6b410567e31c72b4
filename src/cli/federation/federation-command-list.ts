import type { CommandEntry, LoadedCommand } from '../command.ts';

const nodeCommands = () => import('./node.ts');
const capabilityCommands = () => import('./capability.ts');
const messageCommands = () => import('./message.ts');

const NODE_VERBS: readonly LoadedCommand[] = [
  { name: 'join', summary: 'join a federation of nodes', load: async () => (await nodeCommands()).nodeJoinCommand },
  {
    name: 'status',
    summary: 'show the nodes of the federation',
    load: async () => (await nodeCommands()).nodeStatusCommand,
  },
  {
    name: 'lag',
    summary: 'count events that are not read yet',
    load: async () => (await nodeCommands()).nodeLagCommand,
  },
  {
    name: 'trust',
    summary: 'accept a node with its present key',
    load: async () => (await nodeCommands()).nodeTrustCommand,
  },
  {
    name: 'remove',
    summary: 'accept nothing of a node any more',
    load: async () => (await nodeCommands()).nodeRemoveCommand,
  },
  {
    name: 'dismiss',
    summary: 'close an incident about lost or refused events',
    load: async () => (await nodeCommands()).nodeDismissCommand,
  },
  {
    name: 'server',
    summary: 'write a configuration for nats-server, with a user for each node',
    load: async () => (await import('./node-server.ts')).nodeServerCommand,
  },
  { name: 'leave', summary: 'leave the federation', load: async () => (await nodeCommands()).nodeLeaveCommand },
];

const CAPABILITY_VERBS: readonly LoadedCommand[] = [
  {
    name: 'publish',
    summary: 'offer what an agent of this node can do',
    load: async () => (await capabilityCommands()).capabilityPublishCommand,
  },
  {
    name: 'list',
    summary: 'list what the federation can do',
    load: async () => (await capabilityCommands()).capabilityListCommand,
  },
  {
    name: 'show',
    summary: 'show one capability',
    load: async () => (await capabilityCommands()).capabilityShowCommand,
  },
  {
    name: 'remove',
    summary: 'offer a capability no longer',
    load: async () => (await capabilityCommands()).capabilityRemoveCommand,
  },
  {
    name: 'close',
    summary: 'close a review of a capability',
    load: async () => (await capabilityCommands()).capabilityCloseCommand,
  },
];

const MESSAGE_VERBS: readonly LoadedCommand[] = [
  { name: 'send', summary: 'send a message to agents', load: async () => (await messageCommands()).messageSendCommand },
  {
    name: 'read',
    summary: 'read the messages for agents of this node',
    load: async () => (await messageCommands()).messageReadCommand,
  },
  { name: 'reply', summary: 'answer a message', load: async () => (await messageCommands()).messageReplyCommand },
  {
    name: 'sent',
    summary: 'show what became of messages',
    load: async () => (await messageCommands()).messageSentCommand,
  },
];

/** Commands about other machines. */
export const FEDERATION_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'node',
    group: 'Node',
    summary: 'work with nodes on other machines',
    about:
      'A federation is nodes that pass messages to each other and share a catalog of capabilities, over a NATS server or a shared folder.',
    examples: ['baton node join nats://broker:4222 --node laptop', 'baton node status'],
    verbs: NODE_VERBS,
  },
  {
    name: 'capability',
    group: 'Node',
    summary: 'publish what agents can do for other nodes',
    about:
      'A capability is work that an agent offers to the federation: its id, the skill that does it, and how long it takes.',
    examples: [
      'baton capability publish cap.release.checklist --agent emma --skill checklist',
      'baton capability list',
    ],
    verbs: CAPABILITY_VERBS,
  },
  {
    name: 'message',
    group: 'Agents',
    summary: 'send and read messages between agents',
    about:
      'Messages between agents of one or several machines. Each is kept until it is read; none starts a model by itself.',
    examples: [
      'baton message send emma "please look at the branch"',
      'baton message read',
      'baton message reply EVENT "done"',
    ],
    verbs: MESSAGE_VERBS,
  },
];
