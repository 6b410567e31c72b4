import type { CommandEntry, LoadedCommand } from '../command.ts';

const inviteCommands = () => import('./invite.ts');
const clientCommands = () => import('./agent-client.ts');

const NEW: LoadedCommand = {
  name: 'new',
  summary: 'invite an external agent',
  load: async () => (await inviteCommands()).inviteCommand,
};

const INVITE_VERBS: readonly LoadedCommand[] = [
  NEW,
  {
    name: 'list',
    summary: 'list invites and their state',
    load: async () => (await inviteCommands()).inviteListCommand,
  },
  {
    name: 'revoke',
    summary: 'end an invite, or an agent with all its tokens',
    load: async () => (await inviteCommands()).inviteRevokeCommand,
  },
];

const CLIENT_VERBS: readonly LoadedCommand[] = [
  {
    name: 'enrol',
    summary: 'exchange an invite for tokens',
    load: async () => (await clientCommands()).clientEnrolCommand,
  },
  {
    name: 'status',
    summary: 'show what the agent may do and holds',
    load: async () => (await clientCommands()).clientStatusCommand,
  },
  {
    name: 'tasks',
    summary: 'list the tasks of the agent',
    load: async () => (await clientCommands()).clientTasksCommand,
  },
  { name: 'show', summary: 'show a task', load: async () => (await clientCommands()).clientShowCommand },
  { name: 'claim', summary: 'claim a task', load: async () => (await clientCommands()).clientClaimCommand },
  { name: 'beat', summary: 'renew the claim of a task', load: async () => (await clientCommands()).clientBeatCommand },
  { name: 'update', summary: 'report progress', load: async () => (await clientCommands()).clientUpdateCommand },
  {
    name: 'complete',
    summary: 'report the outcome and end the run',
    load: async () => (await clientCommands()).clientCompleteCommand,
  },
  { name: 'release', summary: 'give a task back', load: async () => (await clientCommands()).clientReleaseCommand },
  {
    name: 'messages',
    summary: 'read the messages for the agent',
    load: async () => (await clientCommands()).clientMessagesCommand,
  },
  { name: 'send', summary: 'send a message', load: async () => (await clientCommands()).clientSendCommand },
  { name: 'call', summary: 'make any operation', load: async () => (await clientCommands()).clientCallCommand },
];

/** Commands about external agents: of the operator, and of such an agent itself. */
export const EXTERNAL_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'invite',
    group: 'Agents',
    summary: 'invite agents that run elsewhere',
    about: [
      'An external agent runs outside of Baton and calls the node over HTTP with a key of its own. An invite lets it enrol once,',
      'as one agent with some scopes; the node never trusts what it says.',
    ].join(' '),
    examples: [
      'baton invite scout --scope task.read,task.claim,task.update,task.complete',
      'baton invite list',
      'baton invite revoke scout',
    ],
    verbs: INVITE_VERBS,
    otherwise: { verb: NEW, usage: 'baton invite AGENT --scope SCOPE… [--ttl 15m] | baton invite COMMAND [ARGUMENTS]' },
  },
  {
    name: 'agent-client',
    group: 'Agents',
    summary: 'take part as an external agent',
    about: [
      'For scripts that take part in the work of a node without being started by it. The key and the tokens are in a file of mode 0600,',
      'which --identity or BATON_IDENTITY names.',
    ].join(' '),
    examples: [
      'baton agent-client enrol http://127.0.0.1:4711 --identity scout.json < invite.txt',
      'baton agent-client claim TASK-2026-02-09-057 --identity scout.json',
      'baton agent-client complete TASK-2026-02-09-057 --outcome done --notes "looked at it" --identity scout.json',
    ],
    verbs: CLIENT_VERBS,
  },
  {
    name: 'audit',
    group: 'Review',
    summary: 'list the calls of external agents',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
];
